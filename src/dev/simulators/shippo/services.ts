/** What a carrier's service costs and how long it takes. Amounts in US cents. */
export interface Service {
  carrier: string;
  token: string;
  name: string;
  international: boolean;
  baseCents: number;
  perZoneCents: number;
  perPoundCents: number;
  /** In addition, for each pound and zone. */
  perPoundZoneCents: number;
  weightPoundsMax: number;
  /** Days in transit by zone, from zone 1 to zone 8; international services have only one figure. */
  days: readonly number[];
}

const usps = { carrier: 'usps', international: false, weightPoundsMax: 70 };
const ups = { carrier: 'ups', international: false, weightPoundsMax: 150 };
const fedex = { carrier: 'fedex', international: false, weightPoundsMax: 150 };

export const services: readonly Service[] = [
  {
    ...usps,
    token: 'usps_ground_advantage',
    name: 'Ground Advantage',
    baseCents: 498,
    perZoneCents: 22,
    perPoundCents: 41,
    perPoundZoneCents: 9,
    days: [2, 2, 3, 3, 4, 4, 5, 5],
  },
  {
    ...usps,
    token: 'usps_priority',
    name: 'Priority Mail',
    baseCents: 742,
    perZoneCents: 31,
    perPoundCents: 52,
    perPoundZoneCents: 17,
    days: [1, 1, 2, 2, 2, 2, 3, 3],
  },
  {
    ...usps,
    token: 'usps_priority_express',
    name: 'Priority Mail Express',
    baseCents: 2680,
    perZoneCents: 145,
    perPoundCents: 210,
    perPoundZoneCents: 38,
    days: [1, 1, 1, 1, 1, 2, 2, 2],
  },
  {
    ...ups,
    token: 'ups_ground',
    name: 'Ground',
    baseCents: 884,
    perZoneCents: 28,
    perPoundCents: 34,
    perPoundZoneCents: 8,
    days: [1, 1, 2, 3, 4, 4, 5, 5],
  },
  {
    ...ups,
    token: 'ups_second_day_air',
    name: '2nd Day Air®',
    baseCents: 1730,
    perZoneCents: 168,
    perPoundCents: 120,
    perPoundZoneCents: 24,
    days: [2, 2, 2, 2, 2, 2, 2, 2],
  },
  {
    ...ups,
    token: 'ups_next_day_air',
    name: 'Next Day Air®',
    baseCents: 3890,
    perZoneCents: 410,
    perPoundCents: 230,
    perPoundZoneCents: 41,
    days: [1, 1, 1, 1, 1, 1, 1, 1],
  },
  {
    ...fedex,
    token: 'fedex_ground',
    name: 'FedEx Ground®',
    baseCents: 902,
    perZoneCents: 27,
    perPoundCents: 35,
    perPoundZoneCents: 8,
    days: [1, 1, 2, 3, 3, 4, 5, 5],
  },
  {
    ...fedex,
    token: 'fedex_2_day',
    name: 'FedEx 2Day®',
    baseCents: 1695,
    perZoneCents: 162,
    perPoundCents: 118,
    perPoundZoneCents: 23,
    days: [2, 2, 2, 2, 2, 2, 2, 2],
  },
  {
    carrier: 'dhl_express',
    international: true,
    weightPoundsMax: 154,
    token: 'dhl_express_worldwide_nondoc',
    name: 'Express Worldwide Nondoc',
    baseCents: 4850,
    perZoneCents: 0,
    perPoundCents: 640,
    perPoundZoneCents: 0,
    days: [4],
  },
];
