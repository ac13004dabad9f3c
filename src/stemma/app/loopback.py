"""Whether a host means this machine alone: what decides how far a store without keys is open."""

from __future__ import annotations

import ipaddress


def is_loopback(host: str) -> bool:
    """Say whether a host name or address means this machine alone."""
    name = host.strip("[]").rstrip(".").lower()
    if name == "localhost":
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False
