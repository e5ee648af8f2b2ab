import { QueryClient } from '@tanstack/react-query';
import type { ComponentType } from 'react';
import { Admin, CanAccess, CustomRoutes, defaultI18nProvider, type I18nProvider, Resource } from 'react-admin';
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
      {pages.map(({ name, label, icon, list, create, show }) => (
        <Resource
          key={name}
          name={name}
          options={{ label }}
          icon={icon}
          list={guard(name, 'list', list)}
          {...(create && { create: guard(name, 'create', create) })}
          {...(show && { show: guard(name, 'show', show) })}
        />
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

/** A page, for those whose role allows it. */
const guard = (resource: string, action: string, Page: ComponentType) => (
  <CanAccess resource={resource} action={action} accessDenied={<AccessDenied />}>
    <Page />
  </CanAccess>
);
