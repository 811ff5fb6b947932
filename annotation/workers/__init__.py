"""Rules for a person across studies: participation, holds, retention."""
