/** Whether a person agreed to marketing emails. */
export const describeConsent = (consent: boolean | null): string =>
  consent === null ? 'Never decided' : consent ? 'Accepted' : 'Declined';
