------- OpenFAST INPUT FILE -------------------------------------------
Generated with AeroElasticSE FAST driver
---------------------- SIMULATION CONTROL --------------------------------------
False                  Echo        - Echo input data to <RootName>.ech (flag)
"FATAL"                AbortLevel  - Error level when simulation should abort (string)
720.0                  TMax        - Total run time (s)
0.01                   DT          - Recommended module time step (s)
2                      InterpOrder - Interpolation order for input/output time history (-)
1                      NumCrctn    - Number of correction iterations (-)
99999.0                DT_UJac     - Time between calls to get Jacobians (s)
1000000.0              UJacSclFact - Scaling factor used in Jacobians (-)
---------------------- FEATURE SWITCHES AND FLAGS ------------------------------
1                      CompElast   - Compute structural dynamics (switch)
1                      CompInflow  - Compute inflow wind velocities (switch)
2                      CompAero    - Compute aerodynamic loads (switch)
1                      CompServo   - Compute control and electrical-drive dynamics (switch)
1                      CompSeaSt   - Compute sea state information (switch)
1                      CompHydro   - Compute hydrodynamic loads (switch)
0                      CompSub     - Compute sub-structural dynamics (switch)
3                      CompMooring - Compute mooring system (switch)
0                      CompIce     - Compute ice loads (switch)
0                      MHK         - MHK turbine type (switch)
---------------------- ENVIRONMENTAL CONDITIONS --------------------------------
9.81                   Gravity     - Gravitational acceleration (m/s^2)
1.225                  AirDens     - Air density (kg/m^3)
1025                   WtrDens     - Water density (kg/m^3)
1.464e-05              KinVisc     - Kinematic viscosity of working fluid (m^2/s)
335                    SpdSound    - Speed of sound in working fluid (m/s)
103500                 Patm        - Atmospheric pressure (Pa)
1700                   Pvap        - Vapour pressure of working fluid (Pa)
300                    WtrDpth     - Water depth (m)
0                      MSL2SWL     - Offset between still-water level and mean sea level (m)
---------------------- INPUT FILES ---------------------------------------------
"IEA-22-280-RWT-Semi_ElastoDyn.dat" EDFile      - Name of file containing ElastoDyn input parameters (quoted string)
"../IEA-22-280-RWT/IEA-22-280-RWT_BeamDyn.dat"  BDBldFile(1) - Name of file containing BeamDyn input parameters for blade 1 (quoted string)
"../IEA-22-280-RWT/IEA-22-280-RWT_BeamDyn.dat"  BDBldFile(2) - Name of file containing BeamDyn input parameters for blade 2 (quoted string)
"../IEA-22-280-RWT/IEA-22-280-RWT_BeamDyn.dat"  BDBldFile(3) - Name of file containing BeamDyn input parameters for blade 3 (quoted string)
"../IEA-22-280-RWT/IEA-22-280-RWT_InflowFile.dat" InflowFile  - Name of file containing inflow wind input parameters (quoted string)
"IEA-22-280-RWT-Semi_AeroDyn15.dat" AeroFile    - Name of file containing aerodynamic input parameters (quoted string)
"IEA-22-280-RWT-Semi_ServoDyn.dat" ServoFile   - Name of file containing control and electrical-drive input parameters (quoted string)
"IEA-22-280-RWT-Semi_SeaState_PotMod.dat"    SeaStFile   - Name of file containing sea state input parameters (quoted string)
"IEA-22-280-RWT-Semi_HydroDyn_PotMod.dat" HydroFile   - Name of file containing hydrodynamic input parameters (quoted string)
"none"                 SubFile     - Name of file containing sub-structural input parameters (quoted string)
"IEA-22-280-RWT-Semi_MoorDyn.dat" MooringFile - Name of file containing mooring system input parameters (quoted string)
"none"                 IceFile     - Name of file containing ice input parameters (quoted string)
---------------------- OUTPUT --------------------------------------------------
False                  SumPrint    - Print summary data to "<RootName>.sum" (flag)
10.0                   SttsTime    - Amount of time between screen status messages (s)
99999.0                ChkptTime   - Amount of time between creating checkpoint files for potential restart (s)
default                DT_Out      - Time step for tabular output (s) (or "default")
120.0                  TStart      - Time to begin tabular output (s)
2                      OutFileFmt  - Format for tabular (time-marching) output file (switch)
True                   TabDelim    - Use tab delimiters in text tabular output file? (flag)
"ES10.3E2"             OutFmt      - Format used for text tabular output, excluding the time channel.  Resulting field should be 10 characters. (quoted string)
---------------------- LINEARIZATION -------------------------------------------
False                  Linearize   - Linearization analysis (flag)
False                  CalcSteady  - Calculate a steady-state periodic operating point before linearization?
3                      TrimCase    - Controller parameter to be trimmed
0.001                  TrimTol     - Tolerance for the rotational speed convergence
0.01                   TrimGain    - Proportional gain for the rotational speed error (>0)
0.0                    Twr_Kdmp    - Damping factor for the tower
0.0                    Bld_Kdmp    - Damping factor for the blades
2                      NLinTimes   - Number of times to linearize (-)
30.000000, 60.000000   LinTimes    - List of times at which to linearize (s)
1                      LinInputs   - Inputs included in linearization (switch)
1                      LinOutputs  - Outputs included in linearization (switch)
False                  LinOutJac   - Include full Jacobians in linearization output (for debug) (flag)
False                  LinOutMod   - Write module-level linearization output files in addition to output for full system? (flag)
---------------------- VISUALIZATION ------------------------------------------
0                      WrVTK       - VTK visualization data output: (switch)
2                      VTK_type    - Type of VTK visualization data: (switch)
False                  VTK_fields  - Write mesh fields to VTK data files? (flag)
10.0                   VTK_fps     - Frame rate for VTK output (frames per second)
