import { defineRoute } from '#src/api/lib/define-route.ts';
import { created, ok } from '#src/api/lib/reply.ts';
import { auditedRemoval, auditedSave, ExpectedVersion } from '#src/domain/audit/index.ts';
import type { Context } from '#src/domain/context.ts';
import { KnownCustomerView, listCustomers, presentKnownCustomer } from '#src/domain/customers/index.ts';
import {
  InquiryView,
  LeadView,
  listInquiries,
  listLeads,
  listWaitlist,
  presentInquiry,
  presentLead,
  presentWaitlistEntry,
  WaitlistEntryView,
} from '#src/domain/leads/index.ts';
import {
  listApplications,
  listPartners,
  ManagedPartnerView,
  normalisePartnerCode,
  PartnerInput,
  presentManagedPartner,
  presentReceivedApplication,
  ReceivedApplicationView,
  readPartner,
  removePartner,
  savePartner,
} from '#src/domain/partners/index.ts';
import { CustomerHistoryView, readCustomerHistory } from '#src/domain/portal/index.ts';
import { Done, Email, Id, PageOf, PageQuery, Text, Type } from '#src/lib/schema.ts';
import { reading, writing } from './audience.ts';

const Page = Type.Object(PageQuery);
const PartnerResponse = Type.Object({ partner: ManagedPartnerView });

const partner = (written: string) => ({
  kind: 'partner',
  name: normalisePartnerCode(written),
  async view(ctx: Context) {
    const partner = await readPartner(ctx, written);
    return partner && presentManagedPartner(partner);
  },
});

export const getLeads = defineRoute({
  ...reading('customers'),
  operationId: 'admin.listLeads',
  method: 'get',
  path: '/api/v1/admin/leads',
  summary: 'List leads, newest first.',
  query: Type.Object({ source: Type.Optional(Text(100, { examples: ['footer'] })), ...PageQuery }),
  responses: { 200: PageOf('leads', LeadView) },
  async handle({ ctx, query }) {
    const { rows, cursor } = await listLeads(ctx, query);
    return ok({ leads: rows.map(presentLead), cursor });
  },
});

export const getInquiries = defineRoute({
  ...reading('customers'),
  operationId: 'admin.listWholesaleInquiries',
  method: 'get',
  path: '/api/v1/admin/wholesale-inquiries',
  summary: 'List wholesale inquiries, newest first.',
  query: Page,
  responses: { 200: PageOf('wholesale_inquiries', InquiryView) },
  async handle({ ctx, query }) {
    const { rows, cursor } = await listInquiries(ctx, query);
    return ok({ wholesale_inquiries: rows.map(presentInquiry), cursor });
  },
});

export const getWaitlist = defineRoute({
  ...reading('customers'),
  operationId: 'admin.listWaitlist',
  method: 'get',
  path: '/api/v1/admin/waitlist',
  summary: 'List the waitlist entries of sold-out products, newest first.',
  query: Page,
  responses: { 200: PageOf('waitlist', WaitlistEntryView) },
  async handle({ ctx, query }) {
    const { rows, cursor } = await listWaitlist(ctx, query);
    return ok({ waitlist: rows.map(presentWaitlistEntry), cursor });
  },
});

export const getPartners = defineRoute({
  ...reading('customers'),
  operationId: 'admin.listPartners',
  method: 'get',
  path: '/api/v1/admin/partners',
  summary: 'List partners with their sales, newest first.',
  query: Page,
  responses: { 200: PageOf('partners', ManagedPartnerView) },
  async handle({ ctx, query }) {
    const { rows, cursor } = await listPartners(ctx, query);
    return ok({ partners: rows.map(presentManagedPartner), cursor });
  },
});

export const postPartner = defineRoute({
  ...writing('promotions'),
  operationId: 'admin.savePartner',
  method: 'post',
  path: '/api/v1/admin/partners',
  summary: 'Create a partner, or update the one with this code. Omitted fields are set to their defaults.',
  body: Type.Object({ ...PartnerInput.properties, version: ExpectedVersion }),
  errors: ['version_conflict'],
  responses: { 200: PartnerResponse, 201: PartnerResponse },
  async handle({ ctx, body: { version, ...input } }) {
    const { view, isNew } = await auditedSave(
      ctx,
      { ...partner(input.code), change: (ctx) => savePartner(ctx, input) },
      { version },
    );
    return (isNew ? created : ok)({ partner: view });
  },
});

export const deletePartner = defineRoute({
  ...writing('promotions'),
  operationId: 'admin.deletePartner',
  method: 'delete',
  path: '/api/v1/admin/partners/:code',
  summary: 'Remove a partner: no further order is attributed to them. Open checkouts keep their discount.',
  description:
    'What they have earned stays in exports of commissions. A partner who is saved with this code later is the same one, ' +
    'with those earnings, and with visits that are not older than the window.',
  params: Type.Object({ code: PartnerInput.properties.code }),
  responses: { 200: Done },
  async handle({ ctx, params: { code } }) {
    await auditedRemoval(ctx, { ...partner(code), change: (ctx) => removePartner(ctx, code) });
    return ok({ ok: true });
  },
});

export const getPartnerApplications = defineRoute({
  ...reading('customers'),
  operationId: 'admin.listPartnerApplications',
  method: 'get',
  path: '/api/v1/admin/partner-applications',
  summary: 'List partner applications, newest first.',
  query: Page,
  responses: { 200: PageOf('applications', ReceivedApplicationView) },
  async handle({ ctx, query }) {
    const { rows, cursor } = await listApplications(ctx, query);
    return ok({ applications: rows.map(presentReceivedApplication), cursor });
  },
});

export const getCustomers = defineRoute({
  ...reading('customers'),
  operationId: 'admin.listCustomers',
  method: 'get',
  path: '/api/v1/admin/customers',
  summary: 'List customers, newest first.',
  query: Type.Object({
    q: Type.Optional(
      Text(200, { description: 'An email, or words of a name, or their beginnings.', examples: ['Ada'] }),
    ),
    email: Type.Optional(Email),
    ...PageQuery,
  }),
  responses: { 200: PageOf('customers', KnownCustomerView) },
  async handle({ ctx, query }) {
    const { rows, cursor } = await listCustomers(ctx, query);
    return ok({ customers: rows.map(presentKnownCustomer), cursor });
  },
});

export const getCustomer = defineRoute({
  ...reading('customers'),
  operationId: 'admin.getCustomer',
  method: 'get',
  path: '/api/v1/admin/customers/:id',
  summary: 'Read a customer with their latest orders, subscriptions and returns.',
  params: Type.Object({ id: Id('cus') }),
  responses: { 200: CustomerHistoryView },
  async handle({ ctx, params }) {
    return ok(await readCustomerHistory(ctx, params));
  },
});
