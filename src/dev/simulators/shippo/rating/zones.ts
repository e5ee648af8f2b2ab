/** Roughly where the ZIP codes that begin with each digit lie: latitude, longitude. */
const regions: readonly (readonly [number, number])[] = [
  [42.4, -72.2],
  [41.5, -75.5],
  [37.0, -79.5],
  [31.5, -84.0],
  [40.3, -84.2],
  [44.5, -93.5],
  [39.8, -91.5],
  [32.0, -95.8],
  [39.0, -110.0],
  [38.5, -120.8],
];

const zoneMilesMax = [50, 150, 300, 600, 1000, 1400, 1800];

/** True for the ZIP codes that a carrier would look up. */
export function isZip(zip: string): boolean {
  return /^\d{5}(-?\d{4})?$/.test(zip) && !zip.startsWith('000');
}

/** The zone, 1 to 8, between two ZIP codes. */
export function zoneBetween(fromZip: string, toZip: string): number {
  const miles = milesBetween(placeOf(fromZip), placeOf(toZip));
  const zone = zoneMilesMax.findIndex((max) => miles <= max);
  return zone < 0 ? 8 : zone + 1;
}

// The next two digits spread a region's places over some 200 by 200 miles, so that nearer numbers are nearer.
function placeOf(zip: string): readonly [number, number] {
  const [latitude, longitude] = regions[Number(zip[0])] ?? [39.8, -98.6];
  return [latitude + (Number(zip[1]) - 4.5) * 0.35, longitude + (Number(zip[2]) - 4.5) * 0.4];
}

function milesBetween(from: readonly [number, number], to: readonly [number, number]): number {
  const northMiles = (to[0] - from[0]) * 69;
  const eastMiles = (to[1] - from[1]) * 69 * Math.cos((((from[0] + to[0]) / 2) * Math.PI) / 180);
  return Math.hypot(northMiles, eastMiles);
}
