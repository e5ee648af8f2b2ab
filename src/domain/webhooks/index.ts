export { createEndpoint } from './create-endpoint.ts';
export { drainEndpoint } from './drain-endpoint.ts';
export { EndpointEntry, EndpointInput, EndpointPatch } from './endpoint-input.ts';
export { presentEventTypes, WebhookEventTypeView } from './event-catalogue.ts';
export { fanOutEvent } from './fan-out-event.ts';
export {
  deliveryStates,
  presentAttempt,
  presentDelivery,
  presentEndpoint,
  WebhookAttemptView,
  WebhookDeliveryView,
  WebhookEndpointView,
} from './present.ts';
export { listDeliveries, readDelivery } from './read-deliveries.ts';
export { listEndpoints, readEndpoint } from './read-endpoints.ts';
export { recoverDeliveries, redeliver } from './redeliver.ts';
export { removeEndpoint } from './remove-endpoint.ts';
export { pruneDeliveries } from './retention.ts';
export { rotateSecret } from './rotate-secret.ts';
export { saveEndpoint } from './save-endpoint.ts';
export { webhookSealedColumns } from './sealed-columns.ts';
export { sendTestEvent } from './send-test-event.ts';
export { sign } from './sign.ts';
export { disableEndpoint, enableEndpoint } from './switch-endpoint.ts';
export { updateEndpoint } from './update-endpoint.ts';
export { WebhookEndpoint } from './webhook-endpoint.ts';
export { type FailedDelivery, type FailingEndpoint, webhooksNeedingAttention } from './webhooks-needing-attention.ts';
