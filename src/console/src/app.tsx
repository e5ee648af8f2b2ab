import { QueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import {
  Admin,
  CanAccess,
  CustomRoutes,
  defaultI18nProvider,
  type I18nProvider,
  localStorageStore,
  Resource,
  type Store,
} from 'react-admin';
import { Route } from 'react-router';

import { dataProvider } from './data-provider.ts';
import { ConsoleLayout } from './layout/console-layout.tsx';
import { AccessDenied, NotFound } from './layout/no-page.tsx';
import { Notices } from './layout/notices.tsx';
import { darkTheme, lightTheme } from './layout/theme.ts';
import { ListData, RecordData } from './lib/page-data.tsx';
import { OwnAccount, PackingSlips, pages, Today } from './pages/index.ts';
import { resources } from './resources.ts';
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

const stored = localStorageStore();
/** What is kept for the next visit. A menu that is closed in one window is not closed in the others that are open. */
const store: Store = {
  ...stored,
  setup: () => {
    stored.setup();
    // It listens to the other windows otherwise.
    stored.teardown();
  },
};

export function App() {
  return (
    <Admin
      title="Console"
      authProvider={authProvider}
      dataProvider={dataProvider}
      i18nProvider={i18nProvider}
      queryClient={queryClient}
      store={store}
      layout={ConsoleLayout}
      notification={Notices}
      lightTheme={lightTheme}
      darkTheme={darkTheme}
      dashboard={Today}
      loginPage={SignInPage}
      accessDenied={AccessDenied}
      catchAll={NotFound}
      requireAuth
      disableTelemetry
    >
      {pages.map(({ name, label, icon, list: List, create: Create, show: Show, refetchInterval }) => (
        <Resource
          key={name}
          name={name}
          options={{ label }}
          icon={icon}
          list={
            <Guard action="list">
              {name in resources ? (
                <ListData refetchInterval={refetchInterval}>
                  <List />
                </ListData>
              ) : (
                <List />
              )}
            </Guard>
          }
          {...(Create && {
            create: (
              <Guard action="create">
                <Create />
              </Guard>
            ),
          })}
          {...(Show && {
            show: (
              <Guard action="show">
                <RecordData>
                  <Show />
                </RecordData>
              </Guard>
            ),
          })}
        />
      ))}
      <CustomRoutes>
        <Route path="/my-account" element={<OwnAccount />} />
        <Route path="/packing-slips/:ids" element={<PackingSlips />} />
      </CustomRoutes>
      <CustomRoutes noLayout>
        <Route path="/sign-in/:token" element={<SignInLinkPage />} />
      </CustomRoutes>
    </Admin>
  );
}

/** A page of the resource, for those whose role allows it. */
const Guard = ({ action, children }: { readonly action: string; readonly children: ReactNode }) => (
  <CanAccess action={action} accessDenied={<AccessDenied />}>
    {children}
  </CanAccess>
);
