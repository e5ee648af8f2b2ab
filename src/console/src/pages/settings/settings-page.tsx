import { PageTabs } from '../../lib/page-tabs.tsx';
import { IntegrationsPanel } from './integrations-panel.tsx';
import { KeysPanel } from './keys-panel.tsx';
import { PaymentsPanel } from './payments-panel.tsx';
import { RemindersPanel } from './reminders-panel.tsx';
import { SecondShippingPanel } from './second-shipping-panel.tsx';
import { ShippingPanel } from './shipping-panel.tsx';
import { StorePanel } from './store-panel.tsx';

/** What a store decides once and seldom changes. */
export function SettingsPage() {
  return (
    <PageTabs
      title="Settings"
      path="/settings"
      tabs={[
        { name: 'store', label: 'Store', show: () => <StorePanel /> },
        {
          name: 'shipping',
          label: 'Shipping',
          show: () => (
            <>
              <ShippingPanel />
              <SecondShippingPanel />
            </>
          ),
        },
        { name: 'payments', label: 'Payments', show: () => <PaymentsPanel /> },
        { name: 'reminders', label: 'Reminders', show: () => <RemindersPanel /> },
        { name: 'integrations', label: 'Integrations', show: () => <IntegrationsPanel /> },
        { name: 'keys', label: 'API keys', show: () => <KeysPanel /> },
      ]}
    />
  );
}
