"""Names of properties of a device, as `openvino.properties.device`."""

from ir_plugin.properties.names import Property

architecture = Property("DEVICE_ARCHITECTURE")
capabilities = Property("OPTIMIZATION_CAPABILITIES")
full_name = Property("FULL_DEVICE_NAME")
id = Property("DEVICE_ID")
type = Property("DEVICE_TYPE")
