"""What Doorcard's speed is measured by: each module one figure of ``doorcard bench``."""
