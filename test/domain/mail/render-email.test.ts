import anyTest, { type TestFn } from 'ava';
import type { MailKind, OrderMailData } from '#src/domain/mail/kinds.ts';
import { contrastOn, legible } from '#src/domain/mail/layout/theme.ts';
import { renderEmail } from '#src/domain/mail/render-email.ts';
import { formatMoney } from '#src/lib/format-money.ts';
import { escapeHtml } from '#src/lib/html.ts';
import { textWidth } from '#src/lib/text-width.ts';
import { awkwardNames } from '../../support/awkward-names.ts';
import { inBrowser, launchBrowser } from '../../support/browser.ts';
import { type TestContext, useContext } from '../../support/context.ts';
import { everyKind, orderMail } from '../../support/factories/mail.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

const kinds = Object.keys(everyKind) as MailKind[];

type Parcel = OrderMailData['labels'][number];

/** A store with branding of its own. */
function branded({ ctx }: TestContext) {
  const links = { instagram: 'https://instagram.example/cedar', nowhere: 'javascript:alert(1)' };
  return { ...ctx, tenant: { ...ctx.tenant, name: 'Cedar & Clay', theme: { accent: '#7a5c3e' }, links } };
}

test('every kind of email has a subject, HTML and plain text, and the branding of its store', async (t) => {
  const ctx = branded(t.context);
  for (const kind of kinds) {
    const { subject, text, html, headers } = await renderEmail(ctx, kind, {
      data: everyKind[kind],
      subjectId: 'sub_1',
      recipient: 'ada@example.com',
    } as never);
    t.regex(subject, /^\S.{5,80}\S$/, kind);
    for (const said of ['Cedar & Clay', ctx.tenant.storefrontUrl, 'https://instagram.example/cedar'])
      t.true(text.includes(said), `${kind}: ${said}`);
    for (const said of ['Cedar &amp; Clay', '#7a5c3e', 'https://instagram.example/cedar'])
      t.true(html.includes(said), `${kind}: ${said}`);
    t.false(html.includes('javascript:') || text.includes('javascript:'), kind);
    t.false(/undefined|null|NaN|\[object/.test(text), kind);
    t.false(/<script|src="(?!https)|@import|url\(/.test(html), kind);
    t.is(headers['Auto-Submitted'], 'auto-generated');
  }
});

test('an email names an international host as people write it, and shows a message from where it is read', async (t) => {
  const { ctx } = t.context;
  const store = { ...ctx, tenant: { ...ctx.tenant, storefrontUrl: 'https://xn--pgbep1f.example' } };
  const data = { ...everyKind.gift, message: 'عيد سعيد!', giver_name: 'أحمد' };
  const { html } = await renderEmail(store, 'gift', { data, subjectId: 'ord_1', recipient: 'ada@example.com' });
  t.regex(html, /href="https:\/\/xn--pgbep1f\.example"[^>]*>متجر\.example</);
  t.regex(html, /<blockquote dir="auto"[^>]*>\s*عيد سعيد!/);
});

test('names and addresses in an email are in their own direction', async (t) => {
  const [name, street] = ['وعاء بلوط (Oak) رقم 5', 'شارع الحمرا 12, Bldg. 5'];
  const order = orderMail({});
  const items = order.items.map((item) => ({ ...item, name }));
  const data = { ...order, items, shipping_address: { ...order.shipping_address, street1: street } } as OrderMailData;
  const mail = { data, subjectId: order.order_number, recipient: 'ada@example.com' };
  const { html } = await renderEmail(t.context.ctx, 'receipt', mail);
  for (const text of [name, street]) t.true(html.includes(`<span dir="auto">${text}</span>`), text);
});

test('the text of a receipt has its amounts under each other, also of names in Japanese', async (t) => {
  const order = orderMail({ currency: 'JPY' });
  const items = order.items.map((item, index) => ({ ...item, name: index === 0 ? '緑茶とガラスの急須' : item.name }));
  const store = { ...t.context.ctx, tenant: { ...t.context.ctx.tenant, locale: 'ja-JP' } };
  const mail = { data: { ...order, items }, subjectId: order.order_number, recipient: 'ada@example.com' };
  const { text } = await renderEmail(store, 'receipt', mail);
  const amounts = text.split('\n').filter((line) => /￥[\d,]+$/.test(line));
  t.true(amounts.length > 2);
  t.deepEqual([...new Set(amounts.map((line) => textWidth(line)))], [64]);
});

test('the text of a reminder lists what has no price yet as it lists what has one', async (t) => {
  const mail = { data: everyKind.abandoned_cart, subjectId: 'scart_1', recipient: 'ada@example.com' };
  const { text } = await renderEmail(t.context.ctx, 'abandoned_cart', mail);
  t.regex(text, /^Oak bowl, Large \(Quantity 2\) +\$124\.00\nCoffee of the month \(every three months\)$/m);
});

test('the heading of a text is underlined over its whole width, also in Japanese', async (t) => {
  const data = { ...everyKind.restock, product_name: '緑茶とガラスの急須' };
  const mail = { data, subjectId: 'lead_1', recipient: 'ada@example.com' };
  const lines = (await renderEmail(t.context.ctx, 'restock', mail)).text.split('\n');
  const heading = `${data.product_name} is back in stock`;
  t.is(lines[lines.indexOf(heading) + 1], '='.repeat(textWidth(heading)));
});

test('the email about an endpoint says whether it was disabled, and why', async (t) => {
  const titles = { failing: 'was disabled', gone: '410 Gone' } as const;
  for (const disabled of ['failing', 'gone'] as const) {
    const { subject, text } = await renderEmail(t.context.ctx, 'endpoint_warning', {
      data: { ...everyKind.endpoint_warning, disabled },
      subjectId: 'whe_1',
      recipient: 'owner@shop.example',
    });
    t.true(subject.includes(titles[disabled]), subject);
    t.true(text.includes('enable it'), text);
  }
});

test('the email about a product that is back shows its image, whatever its URL contains', async (t) => {
  const { html, text } = await renderEmail(t.context.ctx, 'restock', {
    data: { ...everyKind.restock, image_url: 'https://cdn.example/a.png?w=1&h="2"' },
    subjectId: 'var_1',
    recipient: 'ada@example.com',
  });
  t.true(html.includes('src="https://cdn.example/a.png?w=1&amp;h=&quot;2&quot;"'), html);
  t.true(text.includes('Oak bowl'));
});

test('renderEmail escapes the text of shoppers', async (t) => {
  const ctx = branded(t.context);
  const evil = `<script>alert(1)</script>"'&\r\nBcc: evil@x.example`;
  const items = [{ name: evil, quantity: 1, subscription_interval: null, unit_price_cents: 100 }];
  const receipt = await renderEmail(ctx, 'receipt', {
    data: orderMail({ items, order_number: evil }),
    subjectId: 'ord_1',
    recipient: 'ada@example.com',
  });
  t.false(receipt.html.includes('<script>'));
  t.true(receipt.html.includes('&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;'));
  t.false(/[\r\n]/.test(receipt.subject));
  const gift = await renderEmail(ctx, 'gift', {
    data: { ...everyKind.gift, message: evil, giver_name: evil, recipient_name: evil },
    subjectId: 'ord_1',
    recipient: 'ada@example.com',
  });
  t.false(gift.html.includes('<script>'));
});

test('renderEmail keeps subjects and headers on one line and shows every name as text', async (t) => {
  for (const name of awkwardNames) {
    const ctx = { ...t.context.ctx, tenant: { ...t.context.ctx.tenant, name } };
    for (const kind of kinds) {
      const { subject, html, headers } = await renderEmail(ctx, kind, {
        data: everyKind[kind],
        subjectId: 'sub_1',
        recipient: 'ada@example.com',
      } as never);
      for (const line of [subject, ...Object.values(headers)]) t.notRegex(line, /[\p{Cc}]/u, kind);
      t.false(html.includes('<3') || html.includes('<x@'), `${kind}: ${name}`);
    }
  }
});

test('a sentence that ends with the name of a store has one full stop, also after an abbreviation', async (t) => {
  const ctx = { ...t.context.ctx, tenant: { ...t.context.ctx.tenant, name: 'Cedar Ltd.' } };
  for (const kind of kinds) {
    const { text, html } = await renderEmail(ctx, kind, {
      data: everyKind[kind],
      subjectId: 'sub_1',
      recipient: 'ada@example.com',
    } as never);
    t.regex(text, /Cedar Ltd\./, kind);
    t.false(text.includes('Ltd..') || html.includes('Ltd..'), kind);
  }
});

test('what a person wrote stays as it is, also where a full stop follows the name of the store', async (t) => {
  const ctx = { ...t.context.ctx, tenant: { ...t.context.ctx.tenant, name: 'Cedar Ltd.' } };
  const message = 'Cedar Ltd... you know. <https://cedar.example/Cedar Ltd../>';
  const data = { ...everyKind.gift, message };
  const { text, html } = await renderEmail(ctx, 'gift', { data, subjectId: 'sub_1', recipient: 'ada@example.com' });
  t.true(text.includes(`> ${message}`));
  t.true(html.includes(escapeHtml(message)));
});

test("a receipt adds up in its order's currency", async (t) => {
  const { text } = await renderEmail(t.context.ctx, 'receipt', {
    data: everyKind.receipt,
    subjectId: 'ord_1',
    recipient: 'ada@example.com',
  });
  for (const line of [
    /Oak bowl, Large +\$62\.00\n/,
    /Coffee of the month, 12 oz \(Quantity 2, every month\) +\$34\.00\n/,
    /Discount +−\$9\.60\n/,
    /Gift card +−\$10\.00\n/,
    /Total +\$89\.53\n/,
  ]) {
    t.regex(text, line);
  }
  t.is(formatMoney(1234567, 'USD', 'en-US'), '$12,345.67');
  t.is(formatMoney(-5, 'EUR', 'en-US'), '-€0.05');
  t.is(formatMoney(500, 'JPY', 'en-US'), '¥500');
  t.is(formatMoney(12345, 'KWD', 'en-US').replace(/\s/, ' '), 'KWD 12.345');
});

test('the totals of a receipt add up where prices include the tax, and where a credit paid a part', async (t) => {
  const { total_cents: total, tax_cents: tax } = orderMail();
  const totalsOf = async (total_cents: number) => {
    const data = orderMail({ total_cents });
    const { text } = await renderEmail(t.context.ctx, 'receipt', {
      data,
      subjectId: 'ord_1',
      recipient: 'a@b.example',
    });
    return text
      .split('\n')
      .filter((line) => /^(Tax|Adjustment|Total) /.test(line))
      .map((line) => line.replace(/ {2,}/, ' '));
  };
  t.deepEqual(await totalsOf(total), ['Tax $7.14', 'Total $99.53']);
  t.deepEqual(await totalsOf(total - tax), ['Tax (included) $7.14', 'Total $92.39']);
  t.deepEqual(await totalsOf(total - 1000), ['Tax $7.14', 'Adjustment −$10.00', 'Total $89.53']);
});

test('a receipt that is sent again announces no email that has been sent, and says what was refunded', async (t) => {
  const textOf = async (given: Parameters<typeof orderMail>[0]) =>
    (
      await renderEmail(t.context.ctx, 'receipt', {
        data: orderMail(given),
        subjectId: 'ord_1',
        recipient: 'ada@example.com',
      })
    ).text;
  const note = 'You will get another email when your order is on its way.';
  const paid = await textOf({});
  t.true(paid.includes(note));
  t.notRegex(paid, /Refunded/);
  t.false((await textOf({ shipped_at: '2026-01-05T00:00:00.000Z' })).includes(note));
  const partly = await textOf({ status: 'partially_refunded', refunded_cents: 3589 });
  t.regex(partly, /Total +\$99\.53\nRefunded +−\$35\.89\n/);
  t.true(partly.includes(note));
  t.false((await textOf({ status: 'refunded', refunded_cents: 9953 })).includes(note));
});

test('the email about a refund says what was refunded, in the currency of the order and the language of the store', async (t) => {
  const textOf = async (
    refund: { amount_cents: number; gift_card_cents: number },
    currency = 'USD',
    locale = 'en-US',
  ) => {
    const ctx = { ...t.context.ctx, tenant: { ...t.context.ctx.tenant, locale } };
    const { subject, text } = await renderEmail(ctx, 'refunded', {
      data: { ...orderMail({ refunded_cents: 3589, currency }), refund },
      subjectId: 'ord_1',
      recipient: 'ada@example.com',
    });
    t.is(subject, 'Refund of your order ORD-1001');
    return text;
  };
  const money = await textOf({ amount_cents: 3589, gift_card_cents: 0 });
  t.regex(money, /Your money is on its way/);
  t.regex(money, /Refund:\n {2}\$35\.89\n/);
  t.regex(money, /Total +\$99\.53\nRefunded +−\$35\.89\n/);
  t.notRegex(money, /gift card/);
  const both = await textOf({ amount_cents: 3589, gift_card_cents: 1000 });
  t.regex(both, /Refund to your gift card:\n {2}\$10\.00/);
  const card = await textOf({ amount_cents: 0, gift_card_cents: 1000 });
  t.regex(card, /on the card again/);
  t.notRegex(card, /bank/);
  t.regex(await textOf({ amount_cents: 3589, gift_card_cents: 0 }, 'EUR', 'de-DE'), /35,89\s€/);
});

test('the button of the email about a further parcel leads to that parcel, if its carrier has a page for it', async (t) => {
  const [lost, sent] = ['1', '2'].map((number) => ({
    carrier: 'USPS',
    tracking_number: number,
    tracking_url: `https://usps.example/${number}`,
  })) as [Parcel, Parcel];
  const buttonOf = async (...labels: Parcel[]) => {
    const { text } = await renderEmail(t.context.ctx, 'shipped', {
      data: orderMail({ labels }),
      subjectId: 'ord_1',
      recipient: 'ada@example.com',
    });
    return /Track your parcel:\n(\S+)/.exec(text)?.[1];
  };
  t.is(await buttonOf(lost), 'https://usps.example/1');
  t.is(await buttonOf(lost, sent), 'https://usps.example/2');
  t.is(await buttonOf(lost, { ...sent, tracking_url: null }), undefined);
});

test('contrastOn returns a label colour with enough contrast on any button', (t) => {
  t.is(contrastOn('#ffffff'), '#000000');
  t.is(contrastOn('#ffd84d'), '#000000');
  t.is(contrastOn('#7a5c3e'), '#ffffff');
  t.is(contrastOn('#000000'), '#ffffff');
});

test('a link of an email has the accent of its store only where that can be read on white', (t) => {
  t.is(legible('#7a5c3e'), '#7a5c3e');
  t.is(legible('#767676'), '#767676');
  for (const bright of ['#ffd84d', '#ffffff', '#777777']) t.is(legible(bright), '#18181b');
});

const browserTest = inBrowser(test);

/** The same with a word for each text that people wrote that is longer than a line. */
const withLongWords = <Data>(data: Data): Data =>
  JSON.parse(JSON.stringify(data), (field, value) =>
    typeof value === 'string' && /name|message|note|detail|street|city/.test(field) ? 'W'.repeat(60) : value,
  );

browserTest('every kind of email fits a narrow window, also with words that are longer than its lines', async (t) => {
  const { tenant, ...ctx } = branded(t.context);
  const browser = await launchBrowser();
  t.teardown(() => browser.close());
  const page = await browser.newPage({ viewport: { width: 320, height: 700 } });
  for (const kind of kinds) {
    const { html } = await renderEmail({ ...ctx, tenant: withLongWords(tenant) }, kind, {
      data: withLongWords(everyKind[kind]),
      subjectId: 'sub_1',
      recipient: 'ada@example.com',
    } as never);
    await page.setContent(html);
    t.true(await page.evaluate<boolean>('document.documentElement.scrollWidth <= window.innerWidth'), kind);
  }
});

browserTest('every kind of email fits a narrow and a wide window, in light and dark mode', async (t) => {
  const ctx = branded(t.context);
  const browser = await launchBrowser();
  t.teardown(() => browser.close());
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await browser.newPage({ colorScheme });
    const requestedUrls: string[] = [];
    page.on('request', (request) => void (request.url().startsWith('http') && requestedUrls.push(request.url())));
    for (const kind of kinds) {
      const { html } = await renderEmail(ctx, kind, {
        data: everyKind[kind],
        subjectId: 'sub_1',
        recipient: 'ada@example.com',
      } as never);
      for (const width of [320, 1200]) {
        await page.setViewportSize({ width, height: 700 });
        await page.setContent(html);
        t.true(
          await page.evaluate<boolean>('document.documentElement.scrollWidth <= window.innerWidth'),
          `${kind} at ${width}`,
        );
        const background = await page.evaluate<string>(
          `getComputedStyle(document.querySelector('.card')).backgroundColor`,
        );
        t.is(background, colorScheme === 'dark' ? 'rgb(28, 28, 31)' : 'rgb(255, 255, 255)');
      }
    }
    t.deepEqual(requestedUrls, [], 'an email does not report that it was opened');
  }
});
