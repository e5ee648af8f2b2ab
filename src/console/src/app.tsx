import { QueryClient } from '@tanstack/react-query';
import { Admin, CustomRoutes, Resource } from 'react-admin';
import { Route } from 'react-router';

import { dataProvider } from './data-provider.ts';
import { ConsoleLayout } from './layout/console-layout.tsx';
import { darkTheme, lightTheme } from './layout/theme.ts';
import { OwnAccount, pages, Today } from './pages/index.ts';
import { authProvider } from './session/auth-provider.ts';
import { SignInLinkPage } from './session/sign-in-link-page.tsx';
import { SignInPage } from './session/sign-in-page.tsx';

// The client of the API retries by itself.
const queryClient = new QueryClient({ defaultOptions: { queries: { retry: false } } });

export function App() {
  return (
    <Admin
      title="Console"
      authProvider={authProvider}
      dataProvider={dataProvider}
      queryClient={queryClient}
      layout={ConsoleLayout}
      lightTheme={lightTheme}
      darkTheme={darkTheme}
      dashboard={Today}
      loginPage={SignInPage}
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
