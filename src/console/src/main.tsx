import createCache from '@emotion/cache';
import { CacheProvider } from '@emotion/react';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';

import { App } from './app.tsx';
import { allowBrowserTranslation } from './lib/browser-translation.ts';
import { openModuleOf } from './pages/index.ts';

allowBrowserTranslation();
openModuleOf(location.hash);

// The page's Content-Security-Policy allows the styles that carry its nonce.
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
const root = document.getElementById('console');
if (root)
  createRoot(root).render(
    <StrictMode>
      <CacheProvider value={createCache({ key: 'css', nonce, prepend: true })}>
        <App />
      </CacheProvider>
    </StrictMode>,
  );
