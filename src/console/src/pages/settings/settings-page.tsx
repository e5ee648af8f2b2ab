import { PageHeading } from '../../lib/page-heading.tsx';
import { KeysPanel } from './keys-panel.tsx';
import { ProvidersPanel } from './providers-panel.tsx';

export function SettingsPage() {
  return (
    <>
      <PageHeading title="Settings" />
      <ProvidersPanel />
      <KeysPanel />
    </>
  );
}
