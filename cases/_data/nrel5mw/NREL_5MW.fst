------- OpenFAST INPUT FILE, shortened --------------------------
NREL 5.0 MW Baseline Wind Turbine (Onshore)
---------------------- FEATURE SWITCHES AND FLAGS ------------------------------
          1   CompElast       - Compute structural dynamics (switch) {1=ElastoDyn; 2=ElastoDyn + BeamDyn for blades}
          0   CompInflow      - Compute inflow wind velocities (switch) {0=still air; 1=InflowWind; 2=external from OpenFOAM}
          2   CompAero        - Compute aerodynamic loads (switch) {0=None; 1=AeroDyn v14; 2=AeroDyn v15}
          1   CompServo       - Compute control and electrical-drive dynamics (switch) {0=None; 1=ServoDyn}
---------------------- INPUT FILES ---------------------------------------------
"NREL_5MW_ElastoDyn.dat"    EDFile          - Name of file containing ElastoDyn input parameters (quoted string)
"NREL_5MW_AeroDyn.dat"    AeroFile        - Name of file containing aerodynamic input parameters (quoted string)
"NREL_5MW_ServoDyn.dat"    ServoFile       - Name of file containing control and electrical-drive input parameters (quoted string)
