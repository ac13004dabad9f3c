"""Pure decisions: functions of facts, policy and moment. No IO, no clock, no chance."""
