/**
 * How many SQL statements a successful answer of each route takes at most, in any test. Begin, commit and the setting
 * of the tenant are not counted, nor the look-up of store and key, which are remembered for a moment.
 */
export const statementsAtMost: Readonly<Record<string, number>> = {};
