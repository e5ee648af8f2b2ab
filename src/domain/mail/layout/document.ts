import { isWebUrl } from '#src/lib/url.ts';
import type { Tenant } from '../../tenants/index.ts';

/** One part of an email, rendered both as HTML and as plain text. */
export type Block =
  | { readonly kind: 'heading'; readonly text: string }
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'button'; readonly label: string; readonly url: string }
  /** A code for the reader to type elsewhere. */
  | { readonly kind: 'code'; readonly text: string }
  /** A text by another person, such as a gift message. */
  | { readonly kind: 'quote'; readonly text: string; readonly by: string | null }
  | { readonly kind: 'image'; readonly url: string; readonly alt: string }
  | { readonly kind: 'lines'; readonly lines: readonly Line[] }
  | {
      readonly kind: 'totals';
      readonly lines: readonly { readonly label: string; readonly amount: string; readonly strong?: boolean }[];
    }
  | { readonly kind: 'facts'; readonly facts: readonly Fact[] }
  | { readonly kind: 'note'; readonly text: string };

/** An item of a list, with its price where that matters. */
export interface Line {
  readonly name: string;
  readonly detail: string | null;
  readonly amount: string | null;
}

export interface Fact {
  readonly label: string;
  /** Several are shown one below the other. */
  readonly values: readonly string[];
  readonly url?: string | null;
}

/** The content of an email, independent of its format. */
export interface EmailDocument {
  readonly subject: string;
  /** The preview text that mail programs show beside the subject. */
  readonly preview: string;
  readonly blocks: readonly Block[];
  /** Why the reader gets this email, for the footer. */
  readonly reason: string;
  /** The page to unsubscribe on. */
  readonly unsubscribeUrl?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The store's branding in the header and footer of each email. */
export interface EmailBranding {
  readonly name: string;
  readonly url: string;
  /** `#rrggbb` */
  readonly accent: string;
  readonly links: readonly { readonly label: string; readonly url: string }[];
}

const fallbackAccent = '#27272a';
const linksMax = 6;

/** The branding of a store: its name, its accent colour and its links. */
export function emailBrandingOf(tenant: Tenant): EmailBranding {
  const accent = tenant.theme['accent'];
  return {
    name: tenant.name,
    url: tenant.storefrontUrl,
    accent: typeof accent === 'string' && /^#[0-9a-f]{6}$/i.test(accent) ? accent : fallbackAccent,
    links: Object.entries(tenant.links)
      .flatMap(([name, url]) => (typeof url === 'string' && isWebUrl(url) ? [{ label: capitalise(name), url }] : []))
      .slice(0, linksMax),
  };
}

function capitalise(name: string): string {
  const words = name.replaceAll(/[_-]+/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
