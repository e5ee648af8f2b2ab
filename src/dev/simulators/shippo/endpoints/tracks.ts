import { type Call, type Endpoint, ok } from '../endpoint.ts';
import { badRequest } from '../refusal.ts';
import { read, TrackRequest } from '../requests.ts';
import { blankTrack, takeStep } from '../tracking.ts';
import { type Track, trackingStatuses } from '../wire.ts';

export const trackEndpoints: Endpoint[] = [
  {
    method: 'post',
    path: '/tracks',
    handle(call) {
      const { carrier, tracking_number: number, metadata } = read(TrackRequest, call.body);
      const track = findTrack(call, carrier, number);
      if (metadata !== undefined) track.metadata = metadata;
      call.account.tracks.set(`${carrier}/${number}`, track);
      return ok(track);
    },
  },
  {
    method: 'get',
    path: '/tracks/:carrier/:number',
    handle: (call) => ok(findTrack(call, call.params.carrier ?? '', call.params.number ?? '')),
  },
];

function findTrack(call: Call, carrier: string, number: string): Track {
  const { world, account } = call;
  const known = account.tracks.get(`${carrier}/${number}`);
  if (known) return known;
  const track = blankTrack(carrier, number);
  if (carrier === 'shippo') {
    // The numbers by which Shippo lets one try out each status.
    const status = trackingStatuses.find((one) => number === `SHIPPO_${one}`);
    if (!account.test || !status) throw badRequest({ tracking_number: ['Invalid test tracking number.'] });
    takeStep(world, track, status);
  }
  return track;
}
