import { QueryClient } from '@tanstack/react-query';
import { Admin, CustomRoutes, defaultI18nProvider, type I18nProvider, Resource } from 'react-admin';
import { Route } from 'react-router';

import { dataProvider } from './data-provider.ts';
import { ConsoleLayout } from './layout/console-layout.tsx';
import { AccessDenied, NotFound } from './layout/no-page.tsx';
import { darkTheme, lightTheme } from './layout/theme.ts';
import { OwnAccount, pages, Today } from './pages/index.ts';
import { authProvider } from './session/auth-provider.ts';
import { SignInLinkPage } from './session/sign-in-link-page.tsx';
import { SignInPage } from './session/sign-in-page.tsx';

// The client of the API retries by itself, and says when the service cannot be reached.
const queryClient = new QueryClient({ defaultOptions: { queries: { retry: false, networkMode: 'always' } } });

/** One word for one thing: who signs in signs out. */
const i18nProvider: I18nProvider = {
  ...defaultI18nProvider,
  translate: (key, options) => (key === 'ra.auth.logout' ? 'Sign out' : defaultI18nProvider.translate(key, options)),
};

export function App() {
  return (
    <Admin
      title="Console"
      authProvider={authProvider}
      dataProvider={dataProvider}
      i18nProvider={i18nProvider}
      queryClient={queryClient}
      layout={ConsoleLayout}
      lightTheme={lightTheme}
      darkTheme={darkTheme}
      dashboard={Today}
      loginPage={SignInPage}
      accessDenied={AccessDenied}
      catchAll={NotFound}
      requireAuth
      disableTelemetry
    >
      {pages.map(({ name, label, icon, ...views }) => (
        <Resource key={name} name={name} options={{ label }} icon={icon} {...views} />
      ))}
      <CustomRoutes>
        <Route path="/my-account" element={<OwnAccount />} />
      </CustomRoutes>
      <CustomRoutes noLayout>
        <Route path="/sign-in/:token" element={<SignInLinkPage />} />
      </CustomRoutes>
    </Admin>
  );
}
