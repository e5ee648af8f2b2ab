/* The console in a browser: these parts are run one after the other, on one stack. */

import './console/orders.ts';
import './console/settings-and-staff.ts';
import './console/returns-and-subscriptions.ts';
import './console/products.ts';
import './console/lists-and-forms.ts';
import './console/sessions.ts';
import './console/meanwhile.ts';
import './console/files.ts';
import './console/keyboard.ts';
import './console/notices.ts';
import './console/history.ts';
import './console/locales.ts';
import './console/every-page.ts';
