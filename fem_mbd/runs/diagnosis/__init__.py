"""Why a run went as it did: its last steps, where the energy went, how near to singular its joints are."""
