export { readDeliveryRequest } from './delivery-request.ts';
export { drainEndpoint } from './drain-endpoint.ts';
export { webhookSealedColumns } from './endpoint-secrets.ts';
export { resumeLater } from './endpoint-wakes.ts';
export { presentEventTypes, WebhookEventTypeView } from './event-catalogue.ts';
export {
  createEndpoint,
  disableEndpoint,
  enableEndpoint,
  removeEndpoint,
  rotateSecret,
  sendTestEvent,
  updateEndpoint,
} from './manage-endpoints.ts';
export { holdDeliveries, webhookPersonalData } from './personal-data.ts';
export {
  type DeliveryQuery,
  type DeliveryRecord,
  deliveryStates,
  listDeliveries,
  presentAttempt,
  presentDelivery,
  readDelivery,
  WebhookAttemptView,
  WebhookDeliveryView,
} from './read-deliveries.ts';
export { listEndpoints, presentEndpoint, readEndpoint, WebhookEndpointView } from './read-endpoints.ts';
export { discardDeliveries, recoverDeliveries, redeliver } from './redeliver.ts';
export { EndpointEntry, EndpointInput, EndpointPatch, saveEndpoint } from './save-endpoint.ts';
export { sign } from './signing.ts';
export { WebhookEndpoint } from './webhook-endpoint.ts';
export { type FailedDelivery, type FailingEndpoint, webhooksNeedingAttention } from './webhooks-needing-attention.ts';
