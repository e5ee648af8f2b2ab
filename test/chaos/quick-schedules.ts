/** Seconds instead of minutes and hours, so that recovery can be observed. */
export const quickSchedules = {
  LABEL_LOOKUP_GRACE: '1s',
  BREAKER_OPEN: '1s',
  PAYMENT_POLL_SCHEDULE: '3s,6s,12s,24s',
  SWEEP_INTERVAL: '5s',
  LOG_LEVEL: 'info',
};
