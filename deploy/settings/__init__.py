"""Settings: `development` (the default), `production`, `test`. `environment` alone reads the environment."""
