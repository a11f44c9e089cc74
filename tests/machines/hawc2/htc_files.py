"""A small machine as HAWC2 input: tower of 20 m, tilted shaft with generator, three blades of 8 m."""

from pathlib import Path

ST = """#1 uniform
r m x_cg y_cg ri_x ri_y x_sh y_sh E G I_x I_y I_p k_x k_y A pitch x_e y_e
$1 2 tower
0.0 200.0 0 0 0.5 0.5 0 0 2.1e11 8.0e10 0.02 0.02 0.04 0.5 0.5 0.03 0 0 0
20.0 200.0 0 0 0.5 0.5 0 0 2.1e11 8.0e10 0.02 0.02 0.04 0.5 0.5 0.03 0 0 0
$2 2 blade
0.0 30.0 0 0 0.05 0.2 0 0 3.0e10 1.0e10 1.0e-4 8.0e-4 3.0e-4 0.5 0.5 0.01 0 0 0
8.0 15.0 0 0 0.05 0.2 0 0 3.0e10 1.0e10 2.0e-5 2.0e-4 6.0e-5 0.5 0.5 0.005 0 0 0
"""

BODIES = """
begin main_body;
  name tower;
  type timoschenko;
  damping_posdef 0 0 0 1e-3 1e-3 1e-3;
  begin timoschenko_input;
    filename ./data/all_st.dat;
    set 1 1;
  end timoschenko_input;
  begin c2_def;
    nsec 3;
    sec 1 0 0 0 0;
    sec 2 0 0 -10 0;
    sec 3 0 0 -20 0;
  end c2_def;
end main_body;
begin main_body;
  name shaft;
  concentrated_mass 1 0 0.5 0 1000 400 500 600;
  concentrated_mass 2 0 0 0 0 0 0 700;
  begin timoschenko_input;
    filename ./data/all_st.dat;
    FPM 0;
    set 1 1;
  end timoschenko_input;
  begin c2_def;
    nsec 2;
    sec 1 0 0 0 0;
    sec 2 0 0 3 0;
  end c2_def;
end main_body;
begin main_body;
  name blade1;
  damping_aniso 0 0 0 2e-3 1e-3 1e-3;
  begin timoschenko_input;
    filename ./data/all_st.dat;
    set 1 2;
  end timoschenko_input;
  begin c2_def;
    nsec 3;
    sec 1 0 0 0 0;
    sec 2 0 0 4 0;
    sec 3 0 0 8 0;
  end c2_def;
end main_body;
begin main_body;
  name blade2;
  copy_main_body blade1;
end main_body;
begin main_body;
  name blade3;
  copy_main_body blade1;
end main_body;
exit;
this is never read
"""

BLADE = """begin relative;
  mbdy1 shaft last;
  mbdy2 blade{k} 1;
  mbdy2_eulerang -90 0 0;
  mbdy2_eulerang 0 {angle} 0;
  mbdy2_eulerang 3 0 0;
end relative;
"""

MAIN = (
    """; a machine
begin simulation;
  time_stop 10;
end simulation;
begin new_htc_structure;
  continue_in_file ./htc/bodies.htc;
  begin orientation;
    begin base;
      body tower;
      inipos 0 0 -2;
      body_eulerang 0 0 0;
    end base;
    begin relative;
      mbdy1 tower last;
      mbdy2 shaft 1;
      mbdy2_eulerang 90 0 0;
      mbdy2_eulerang 5 0 0;
      mbdy2_ini_rotvec_d1 0 0 -1 1.5;
    end relative;
"""
    + "".join(BLADE.format(k=k, angle=angle) for k, angle in ((1, 180), (2, 60), (3, -60)))
    + """  end orientation;
  begin constraint;
    begin fix0;
      body tower;
    end fix0;
    begin bearing1;
      name rot;
      mbdy1 tower last;
      mbdy2 shaft 1;
      bearing_vector 2 0 0 -1;
    end bearing1;
"""
    + "".join(
        f"""    begin bearing2;
      name pitch{k};
      mbdy1 shaft last;
      mbdy2 blade{k} 1;
      bearing_vector 2 0 0 -1;
    end bearing2;
"""
        for k in (1, 2, 3)
    )
    + """  end constraint;
end new_htc_structure;
begin wind;
end wind;
"""
)


def write_machine(folder: Path, old: str = "", new: str = "", number: int = 1) -> Path:
    """The main file; ``old`` is replaced by ``new`` at its first ``number`` places in whichever file has it."""
    (folder / "data").mkdir(exist_ok=True)
    (folder / "htc").mkdir(exist_ok=True)
    texts = {"htc/main.htc": MAIN, "htc/bodies.htc": BODIES, "data/all_st.dat": ST}
    assert not old or any(old in text for text in texts.values())
    for name, text in texts.items():
        (folder / name).write_text(text.replace(old, new, number) if old else text)
    return folder / "htc/main.htc"
