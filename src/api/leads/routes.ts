import { defineRoute, toPublic } from '#src/api/lib/define-route.ts';
import { created } from '#src/api/lib/reply.ts';
import {
  CapturedLeadView,
  captureLead,
  InquiryInput,
  joinWaitlist,
  LeadInput,
  presentCapturedLead,
  QuizInput,
  saveQuiz,
  submitInquiry,
  WaitlistInput,
} from '#src/domain/leads/index.ts';
import { covers } from '#src/domain/tenants/index.ts';

const captured = {
  tag: 'leads',
  audience: toPublic,
  limit: 'leads',
  responses: { 201: CapturedLeadView },
} as const;

export const postLead = defineRoute({
  ...captured,
  operationId: 'createLead',
  method: 'post',
  path: '/api/v1/leads',
  summary: 'Create a lead. The same email from the same source is the same lead.',
  description: 'Only a secret key with `leads:write` changes its consent or its name once given.',
  body: LeadInput,
  async handle({ ctx, caller, body }) {
    const lead = await captureLead(ctx, body, { replaces: covers(caller.server?.scopes ?? [], 'leads:write') });
    return created(presentCapturedLead(lead.id));
  },
});

export const postQuiz = defineRoute({
  ...captured,
  operationId: 'submitQuiz',
  method: 'post',
  path: '/api/v1/leads/quiz',
  summary: 'Submit the answers to a quiz.',
  body: QuizInput,
  bodyBytesMax: 16 * 1024,
  async handle({ ctx, body }) {
    const lead = await saveQuiz(ctx, body);
    return created(presentCapturedLead(lead.id));
  },
});

export const postWaitlist = defineRoute({
  ...captured,
  operationId: 'joinWaitlist',
  method: 'post',
  path: '/api/v1/leads/waitlist',
  summary: 'Join the waitlist of a product or variant. One email is sent when it is back in stock.',
  body: WaitlistInput,
  emails: 'waitlist',
  errors: ['unknown_product'],
  async handle({ ctx, body, limitEmail }) {
    const lead = await limitEmail(body.email, async () => {
      const lead = await joinWaitlist(ctx, body);
      return { value: lead, causesEmail: lead.isNew };
    });
    return created(presentCapturedLead(lead.id));
  },
});

export const postWholesaleLead = defineRoute({
  ...captured,
  operationId: 'createWholesaleLead',
  method: 'post',
  path: '/api/v1/leads/wholesale',
  summary: 'Submit a wholesale inquiry, as a lead.',
  body: InquiryInput,
  async handle({ ctx, body }) {
    const inquiry = await submitInquiry(ctx, body);
    return created(presentCapturedLead(inquiry.leadId));
  },
});
