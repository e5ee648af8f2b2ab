const channel = new BroadcastChannel('storefront-console-sign-in');

/** Notify the other tabs of this browser that it has a session. */
export function announceSignIn(): void {
  channel.postMessage('signed in');
}

/** Calls back when this browser was signed in from another tab. Returns how to end that. */
export function onSignIn(callback: () => void): () => void {
  channel.addEventListener('message', callback);
  return () => channel.removeEventListener('message', callback);
}
