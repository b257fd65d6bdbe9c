"""If, Loop and Scan: nodes that execute bodies."""
