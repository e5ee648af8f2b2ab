import type { AuthProvider } from 'react-admin';
import { directAdmin } from '../admin.ts';
import { pages } from '../pages/index.ts';
import { hasScope, isSignedOut, readSession, refreshSession } from './session.ts';
import { setStoreOfPage } from './store.ts';

/** What react-admin asks about who is signed in. Expired sessions are met at the gates, where no input is lost. */
export const authProvider: AuthProvider = {
  async login() {
    setStoreOfPage(undefined);
    await refreshSession();
  },
  async logout() {
    await directAdmin.signOut().catch((error: unknown) => {
      if (!isSignedOut(error)) throw error;
    });
  },
  async checkAuth() {
    await readSession();
  },
  async checkError() {},
  async getIdentity() {
    const { staff } = await readSession();
    return { id: staff.id, fullName: staff.name || staff.email };
  },
  getPermissions: () => readSession(),
  async canAccess({ resource }) {
    const scope = pages.find(({ name }) => name === resource)?.scope;
    return scope === undefined || hasScope(await readSession(), scope);
  },
};
