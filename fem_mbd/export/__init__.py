"""Results and modes for other programs: ParaView (VTKHDF, XDMF, VTU) and tables (CSV).

`export_result` writes a run, `export_modes` mode shapes. What the files hold: docs/export.md.
"""

from fem_mbd.export.mode_shapes import export_modes
from fem_mbd.export.writing import FORMATS, export_result

__all__ = ["FORMATS", "export_modes", "export_result"]
