"""Export of results, modes and linear models in the file formats of other programs.

`export_result` writes a run, `export_modes` mode shapes, for ParaView (VTKHDF, XDMF, VTU) and as tables (CSV);
`write_lin` a state space as OpenFAST's linearisation file, `write_cmb` a Campbell diagram as HAWCStab2's table,
`write_outb` and `read_outb` histories as OpenFAST's binary output. Contents of the files: docs/how-to/export.md.
"""

from fem_mbd.output.export.linearization import write_cmb, write_lin
from fem_mbd.output.export.outb import OutputFile, read_outb, write_outb
from fem_mbd.output.export.writing import FORMATS, export_modes, export_result

__all__ = [
    "FORMATS",
    "OutputFile",
    "export_modes",
    "export_result",
    "read_outb",
    "write_cmb",
    "write_lin",
    "write_outb",
]
