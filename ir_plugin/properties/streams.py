"""Names of properties of streams, as `openvino.properties.streams`."""

from ir_plugin.properties.names import Property

num = Property("NUM_STREAMS")
