import type { Tenant } from '../../tenants/index.ts';
import type { EmailBranding } from './letter.ts';

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
