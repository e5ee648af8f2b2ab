/** The same direction at length one, so that the product of two vectors is their likeness: 1 for the same, 0 for strangers. */
export function toUnitLength(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return length > 0 ? vector.map((value) => value / length) : vector;
}
