import type { Tenant } from '../../tenants/index.ts';

/** One part of a mail, said once and set twice: as HTML and as plain text. */
export type Block =
  | { readonly kind: 'heading'; readonly text: string }
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'button'; readonly label: string; readonly url: string }
  /** What the reader types elsewhere. */
  | { readonly kind: 'code'; readonly text: string }
  /** What somebody else wrote. */
  | { readonly kind: 'quote'; readonly text: string; readonly by: string | null }
  | { readonly kind: 'image'; readonly url: string; readonly alt: string }
  | { readonly kind: 'lines'; readonly lines: readonly Line[] }
  | {
      readonly kind: 'totals';
      readonly lines: readonly { readonly label: string; readonly amount: string; readonly strong?: boolean }[];
    }
  | { readonly kind: 'facts'; readonly facts: readonly Fact[] }
  | { readonly kind: 'note'; readonly text: string };

/** A thing in a list: what, how many, and what it costs where that matters. */
export interface Line {
  readonly name: string;
  readonly detail: string | null;
  readonly amount: string | null;
}

export interface Fact {
  readonly label: string;
  /** Several are set one below the other. */
  readonly values: readonly string[];
  readonly url?: string | null;
}

/** A mail before it is set: what it says, in order. */
export interface EmailDocument {
  readonly subject: string;
  /** What a mailbox shows beside the subject. */
  readonly preview: string;
  readonly blocks: readonly Block[];
  /** Why this reader gets it, for the foot. */
  readonly reason: string;
  /** Where whoever wants no more of these can say so. */
  readonly unsubscribeUrl?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Who writes: set at the head and the foot of each mail. */
export interface EmailBranding {
  readonly name: string;
  readonly url: string;
  /** `#rrggbb` */
  readonly accent: string;
  readonly links: readonly { readonly label: string; readonly url: string }[];
}

const fallbackAccent = '#27272a';
const linksMax = 6;

/** A store's letterhead: its name, its colour and where else it is found. */
export function emailBrandingOf(tenant: Tenant): EmailBranding {
  const accent = tenant.theme['accent'];
  return {
    name: tenant.name,
    url: tenant.storefrontUrl,
    accent: typeof accent === 'string' && /^#[0-9a-f]{6}$/i.test(accent) ? accent : fallbackAccent,
    links: Object.entries(tenant.links)
      .flatMap(([name, url]) =>
        typeof url === 'string' && isWebAddress(url) ? [{ label: capitalise(name), url }] : [],
      )
      .slice(0, linksMax),
  };
}

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && ['https:', 'http:'].includes(new URL(text).protocol);
}

function capitalise(name: string): string {
  const words = name.replaceAll(/[_-]+/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
