import type { Clock } from '#src/lib/clock.ts';
import { minutes } from '#src/lib/duration.ts';

const bucketMs = minutes(5);

/**
 * A part of a key for what may be asked again later: the same for a few minutes, so that a repeat is none. The provider
 * keeps an error of its own with a key for a day, and nobody should have to wait that long.
 */
export const timeBucketOf = (clock: Clock): string => String(Math.floor(clock.now().getTime() / bucketMs));
