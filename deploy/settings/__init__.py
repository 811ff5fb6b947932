"""Settings: `development` (the default), `production`, `test`. Each reads the environment once, through `environment`."""
