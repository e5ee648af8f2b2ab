import type { AuthProvider } from 'react-admin';
import { pages } from '../pages/index.ts';
import { endSession, hasAnyScope, isSessionRead, readSession } from './session.ts';

/** What react-admin asks about who is signed in. Expired sessions are met at the gates, where no input is lost. */
export const authProvider: AuthProvider = {
  // The page of an emailed link signs in.
  async login() {},
  async logout() {
    // It is also called where no one is signed in.
    if (isSessionRead()) await endSession();
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
  async canAccess({ resource, action }) {
    const scope = pages.find(({ name }) => name === resource)?.scope;
    if (scope === undefined) return true;
    const scopes = [scope].flat();
    const needed = action === 'create' ? scopes.map((read) => read.replace(/:read$/, ':write')) : scopes;
    return hasAnyScope(await readSession(), needed);
  },
};
