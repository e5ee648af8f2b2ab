import Article from '@mui/icons-material/Article';
import AssignmentReturn from '@mui/icons-material/AssignmentReturn';
import Autorenew from '@mui/icons-material/Autorenew';
import Badge from '@mui/icons-material/Badge';
import CardGiftcard from '@mui/icons-material/CardGiftcard';
import Checklist from '@mui/icons-material/Checklist';
import ContactMail from '@mui/icons-material/ContactMail';
import DeleteForever from '@mui/icons-material/DeleteForever';
import Download from '@mui/icons-material/Download';
import GroupAdd from '@mui/icons-material/GroupAdd';
import Groups from '@mui/icons-material/Groups';
import Handshake from '@mui/icons-material/Handshake';
import History from '@mui/icons-material/History';
import HourglassEmpty from '@mui/icons-material/HourglassEmpty';
import Insights from '@mui/icons-material/Insights';
import Inventory2 from '@mui/icons-material/Inventory2';
import LocalOffer from '@mui/icons-material/LocalOffer';
import LocalShipping from '@mui/icons-material/LocalShipping';
import People from '@mui/icons-material/People';
import RateReview from '@mui/icons-material/RateReview';
import Report from '@mui/icons-material/Report';
import Settings from '@mui/icons-material/Settings';
import ShoppingBag from '@mui/icons-material/ShoppingBag';
import UploadFile from '@mui/icons-material/UploadFile';
import Webhook from '@mui/icons-material/Webhook';
import type { SvgIconProps } from '@mui/material/SvgIcon';
import type { ComponentType } from 'react';

import { type LoadedPage, load } from '../lib/load.tsx';
import { changeScopes } from './bulk-changes/kinds.ts';
import { exportScopes, importScopes } from './files/kinds.ts';

/** A page of the console, which is loaded when it is opened. */
interface ConsolePage {
  /** The resource, and the page's URL. */
  readonly name: string;
  readonly label: string;
  readonly icon: ComponentType<SvgIconProps>;
  /** Without this scope, or one of these, the page is hidden. */
  readonly scope: string | readonly string[];
  readonly list: LoadedPage;
  readonly create?: LoadedPage;
  readonly show?: LoadedPage;
  /** How often the list is read again, while workers change it. */
  readonly refetchInterval?: number;
}

/** The pages of each area, in the order of the menu. */
export const areas: readonly { readonly title: string; readonly pages: readonly ConsolePage[] }[] = [
  {
    title: 'Sales',
    pages: [
      {
        name: 'orders',
        label: 'Orders',
        icon: ShoppingBag,
        scope: 'admin.orders:read',
        list: load('OrderList', () => import('./orders/order-list.tsx')),
        show: load('OrderPage', () => import('./orders/order-page.tsx')),
      },
      {
        name: 'labels',
        label: 'Labels on hold',
        icon: LocalShipping,
        scope: 'admin.labels:read',
        list: load('LabelList', () => import('./labels/label-list.tsx')),
      },
      {
        name: 'returns',
        label: 'Returns',
        icon: AssignmentReturn,
        scope: 'admin.returns:read',
        list: load('ReturnList', () => import('./returns/return-list.tsx')),
      },
      {
        name: 'subscriptions',
        label: 'Subscriptions',
        icon: Autorenew,
        scope: 'admin.orders:read',
        list: load('SubscriptionList', () => import('./subscriptions/subscription-list.tsx')),
      },
    ],
  },
  {
    title: 'Catalog',
    pages: [
      {
        name: 'products',
        label: 'Products',
        icon: Inventory2,
        scope: 'admin.catalog:read',
        list: load('ProductList', () => import('./products/product-list.tsx')),
        create: load('ProductCreate', () => import('./products/product-create.tsx')),
        show: load('ProductPage', () => import('./products/product-page.tsx')),
      },
      {
        name: 'content',
        label: 'Content',
        icon: Article,
        scope: 'admin.content:read',
        list: load('ContentList', () => import('./content/content-list.tsx')),
        create: load('ContentCreate', () => import('./content/content-create.tsx')),
        show: load('ContentPage', () => import('./content/content-page.tsx')),
      },
      {
        name: 'reviews',
        label: 'Reviews',
        icon: RateReview,
        scope: 'admin.content:read',
        list: load('ReviewList', () => import('./reviews/review-list.tsx')),
      },
    ],
  },
  {
    title: 'Marketing',
    pages: [
      {
        name: 'promo-codes',
        label: 'Promo codes',
        icon: LocalOffer,
        scope: 'admin.promotions:read',
        list: load('PromoCodeList', () => import('./promotions/promo-code-list.tsx')),
      },
      {
        name: 'gift-cards',
        label: 'Gift cards',
        icon: CardGiftcard,
        scope: 'admin.promotions:read',
        list: load('GiftCardList', () => import('./promotions/gift-card-list.tsx')),
      },
      {
        name: 'partners',
        label: 'Partners',
        icon: Groups,
        scope: 'admin.customers:read',
        list: load('PartnerList', () => import('./partners/partner-list.tsx')),
      },
      {
        name: 'partner-applications',
        label: 'Partner applications',
        icon: GroupAdd,
        scope: 'admin.customers:read',
        list: load('PartnerApplicationList', () => import('./partners/partner-application-list.tsx')),
      },
      {
        name: 'analytics',
        label: 'Analytics',
        icon: Insights,
        scope: 'admin.analytics:read',
        list: load('AnalyticsPage', () => import('./analytics/analytics-page.tsx')),
      },
    ],
  },
  {
    title: 'People',
    pages: [
      {
        name: 'customers',
        label: 'Customers',
        icon: People,
        scope: 'admin.customers:read',
        list: load('CustomerList', () => import('./customers/customer-list.tsx')),
        show: load('CustomerPage', () => import('./customers/customer-page.tsx')),
      },
      {
        name: 'leads',
        label: 'Leads',
        icon: ContactMail,
        scope: 'admin.customers:read',
        list: load('LeadList', () => import('./people/lead-list.tsx')),
      },
      {
        name: 'wholesale',
        label: 'Wholesale',
        icon: Handshake,
        scope: 'admin.customers:read',
        list: load('WholesaleList', () => import('./people/wholesale-list.tsx')),
      },
      {
        name: 'waitlist',
        label: 'Waitlist',
        icon: HourglassEmpty,
        scope: 'admin.customers:read',
        list: load('WaitlistList', () => import('./people/waitlist-list.tsx')),
      },
      {
        name: 'suppressions',
        label: 'Suppressed emails',
        icon: Report,
        scope: 'admin.customers:read',
        list: load('SuppressionList', () => import('./people/suppression-list.tsx')),
      },
      {
        name: 'erasures',
        label: 'Personal data',
        icon: DeleteForever,
        scope: 'admin:write',
        list: load('ErasureList', () => import('./privacy/erasure-list.tsx')),
        refetchInterval: 5000,
        show: load('ErasurePage', () => import('./privacy/erasure-page.tsx')),
      },
    ],
  },
  {
    title: 'Bulk work',
    pages: [
      {
        name: 'bulk-changes',
        label: 'Bulk changes',
        icon: Checklist,
        scope: Object.values(changeScopes),
        list: load('BulkChangeList', () => import('./bulk-changes/bulk-change-list.tsx')),
        refetchInterval: 5000,
        show: load('BulkChangePage', () => import('./bulk-changes/bulk-change-page.tsx')),
      },
      {
        name: 'imports',
        label: 'Imports',
        icon: UploadFile,
        scope: Object.values(importScopes),
        list: load('ImportList', () => import('./files/import-list.tsx')),
        refetchInterval: 5000,
        show: load('ImportPage', () => import('./files/import-page.tsx')),
      },
      {
        name: 'exports',
        label: 'Exports',
        icon: Download,
        scope: Object.values(exportScopes),
        list: load('ExportList', () => import('./files/export-list.tsx')),
        refetchInterval: 5000,
        show: load('ExportPage', () => import('./files/export-page.tsx')),
      },
    ],
  },
  {
    title: 'Store',
    pages: [
      {
        name: 'settings',
        label: 'Settings',
        icon: Settings,
        scope: 'admin.settings:read',
        list: load('SettingsPage', () => import('./settings/settings-page.tsx')),
      },
      {
        name: 'staff',
        label: 'Staff',
        icon: Badge,
        scope: 'admin.staff:read',
        list: load('StaffList', () => import('./staff/staff-list.tsx')),
      },
      {
        name: 'webhooks',
        label: 'Webhooks',
        icon: Webhook,
        scope: 'admin.webhooks:read',
        list: load('EndpointList', () => import('./webhooks/endpoint-list.tsx')),
        show: load('EndpointPage', () => import('./webhooks/endpoint-page.tsx')),
      },
      {
        name: 'audit-log',
        label: 'Audit log',
        icon: History,
        scope: 'admin.settings:read',
        list: load('AuditLog', () => import('./settings/audit-log.tsx')),
      },
    ],
  },
];

export const pages: readonly ConsolePage[] = areas.flatMap(({ pages }) => pages);

export const PackingSlips = load('PackingSlips', () => import('./orders/packing-slips.tsx'));
export const OwnAccount = load('OwnAccount', () => import('./staff/own-account.tsx'));
export const Today = load('Today', () => import('./today/today.tsx'));

/** Begins to read the module of the page that a fragment of the URL leads to, before it is known who is signed in. */
export function openModuleOf(fragment: string): void {
  const [name, id, action] = fragment.slice('#/'.length).split(/[/?]/);
  const page = pages.find((page) => page.name === name);
  const found = action === 'show' ? page?.show : id === 'create' ? page?.create : page?.list;
  // What goes wrong is said when the page is shown.
  (name ? found : Today)?.open().catch(() => undefined);
}
