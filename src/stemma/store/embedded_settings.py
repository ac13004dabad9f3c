"""The settings of the embedded server and who may log in to it. Paths are arguments at its start instead."""

import sys
from typing import Final

# SCRAM even on a socket that only its owner can reach: reaching it must not be enough.
HBA: Final = "local all all scram-sha-256\n"

_ALWAYS: Final = {
    "listen_addresses": "''",
    "unix_socket_permissions": "0700",
    "password_encryption": "'scram-sha-256'",
    "fsync": "on",
    "synchronous_commit": "on",
    "full_page_writes": "on",
    "max_connections": "64",
    "shared_buffers": "'96MB'",
    "max_wal_size": "'256MB'",
    "min_wal_size": "'32MB'",
    # A container's /dev/shm is 64 MB: segments are files, and no query runs in parallel.
    "dynamic_shared_memory_type": "mmap",
    "max_parallel_workers_per_gather": "0",
    "max_parallel_maintenance_workers": "0",
    "max_worker_processes": "4",
    "max_logical_replication_workers": "0",
    "autovacuum_max_workers": "2",
    "jit": "off",
    "TimeZone": "'UTC'",
    "log_timezone": "'UTC'",
    "lc_messages": "'C'",
    # No statement, parameter or row may reach the log, else what was erased would stand there:
    # level `log` leaves out errors, whose text can quote a value.
    "logging_collector": "off",
    "log_destination": "'stderr'",
    "log_min_messages": "log",
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
    "log_statement": "none",
    "log_duration": "off",
    "log_min_duration_statement": "-1",
    "log_parameter_max_length": "0",
    "log_parameter_max_length_on_error": "0",
    "log_connections": "off",
    "log_disconnections": "off",
    "log_checkpoints": "off",
    "log_lock_waits": "off",
    "log_temp_files": "-1",
    "log_autovacuum_min_duration": "-1",
    "log_line_prefix": "'%m [%p] '",
    "update_process_title": "off",
}
_SINCE_18: Final = {"io_method": "sync", "autovacuum_worker_slots": "4"}


def postgresql_conf(major: int) -> str:
    """Write the configuration file for a server of this major version."""
    settings = _ALWAYS | (_SINCE_18 if major >= 18 else {})
    lines = [f"{name} = {value}\n" for name, value in settings.items()]
    return "# Written by Stemma at each start; a change here does not last.\n" + "".join(lines)


def initdb_arguments(major: int) -> list[str]:
    """Return initdb's arguments: a collation that is the same on every system, and how to make the files durable."""
    arguments = ["--auth=scram-sha-256", "--encoding=UTF8", "--locale=C", "--no-instructions"]
    arguments += ["--set=dynamic_shared_memory_type=mmap"]
    if major >= 17:
        arguments += ["--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
        # One call for a thousand files: 0.1 s in place of 0.4 s, and of 1.5 s on a busy disk.
        arguments += ["--sync-method=syncfs"] if sys.platform == "linux" else []
    return arguments
