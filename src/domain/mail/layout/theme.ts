/** The colours (light mode) and fonts of every email. */
const theme = {
  page: '#f4f4f5',
  card: '#ffffff',
  panel: '#f4f4f5',
  rule: '#e4e4e7',
  text: '#18181b',
  quiet: '#63636b',
  font: "-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif",
  mono: 'ui-monospace,Menlo,Consolas,monospace',
};

/** The style of each part, written inline because many mail programs support nothing else. */
export const styles = {
  page: `margin:0;padding:0;background:${theme.page}`,
  preview: 'display:none;max-height:0;overflow:hidden',
  margin: 'padding:32px 16px',
  column: `max-width:560px;font-family:${theme.font};color:${theme.text};overflow-wrap:anywhere`,
  head: 'padding:0 4px 18px;font-size:17px;font-weight:700;letter-spacing:-0.01em',
  name: `color:${theme.text};text-decoration:none`,
  card: `background:${theme.card};border:1px solid ${theme.rule};border-radius:10px;padding:34px 36px 26px`,
  foot: `padding:20px 4px 0;font-size:13px;line-height:20px;color:${theme.quiet}`,
  heading: 'margin:0 0 14px;font-size:24px;line-height:31px;font-weight:700;letter-spacing:-0.02em',
  paragraph: 'margin:0 0 18px;font-size:16px;line-height:25px',
  note: `margin:0 0 14px;font-size:14px;line-height:21px;color:${theme.quiet}`,
  code:
    `margin:4px 0 22px;padding:18px 8px;background:${theme.panel};border-radius:8px;text-align:center;` +
    `font-family:${theme.mono};font-size:32px;line-height:38px;font-weight:700;` +
    'letter-spacing:0.22em;text-indent:0.22em',
  quote:
    `margin:4px 0 22px;padding:18px 20px;background:${theme.panel};border-radius:0 8px 8px 0;` +
    'font-size:16px;line-height:25px;font-style:italic',
  author: `margin-top:8px;font-size:14px;font-style:normal;color:${theme.quiet}`,
  image: 'display:block;width:100%;max-width:486px;height:auto;margin:4px 0 22px;border-radius:8px',
  table: 'margin:0 0 18px;font-size:16px;line-height:23px',
  line: `padding:11px 0;border-bottom:1px solid ${theme.rule}`,
  amount: `padding:11px 0 11px 16px;border-bottom:1px solid ${theme.rule};white-space:nowrap`,
  detail: `font-size:14px;color:${theme.quiet}`,
  subtotal: `padding:2px 0;color:${theme.quiet};white-space:nowrap`,
  total: 'padding:10px 0 0;font-weight:700;font-size:17px;white-space:nowrap',
  fact: 'margin:0 0 18px;font-size:16px;line-height:24px',
  label: `display:block;font-size:13px;color:${theme.quiet}`,
  button: 'display:inline-block;padding:13px 24px;font-size:16px;line-height:20px;font-weight:600;text-decoration:none',
  quiet: `color:${theme.quiet}`,
} as const;

/** Narrow screens and dark mode, which inline styles cannot express. Mail programs may ignore it. */
export const stylesheet = `
@media (max-width:480px) {
  .margin { padding:20px 10px !important }
  .card { padding:26px 20px 18px !important }
}
@media (prefers-color-scheme:dark) {
  body, .page { background:#111113 !important }
  .card { background:#1c1c1f !important; color:#f4f4f5 !important }
  .card { border-left-color:#303036 !important; border-right-color:#303036 !important }
  .card { border-bottom-color:#303036 !important }
  .panel { background:#29292e !important }
  .rule { border-bottom-color:#303036 !important }
  .text { color:#f4f4f5 !important }
  .link { color:inherit !important }
  .quiet { color:#a1a1aa !important }
}
`;

/** Black or white, whichever contrasts more with this `#rrggbb` (by WCAG's relative luminance). */
export function contrastOn(colour: string): '#000000' | '#ffffff' {
  const luminance = luminanceOf(colour);
  return 1.05 / (luminance + 0.05) >= (luminance + 0.05) / 0.05 ? '#ffffff' : '#000000';
}

/** This `#rrggbb` where text of it can be read on the white card (WCAG 1.4.3), or else the colour of other texts. */
export const legible = (colour: string): string => (1.05 / (luminanceOf(colour) + 0.05) >= 4.5 ? colour : theme.text);

function luminanceOf(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) =>
    linear(Number.parseInt(colour.slice(at, at + 2), 16) / 255),
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function linear(channel: number): number {
  return channel <= 0.040_45 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
}
