import type { Account } from './state.ts';

/** A label as a one-page PDF of 4 by 6 inches, or undefined when the account never bought it. */
export function labelPdf(account: Account, id: string): Buffer | undefined {
  const transaction = account.transactions.get(id);
  const rate = account.rates.get(transaction?.rate ?? '');
  const shipment = account.shipments.get(rate?.shipment ?? '');
  if (!transaction?.tracking_number || !rate || !shipment) return undefined;

  const { address_from: from, address_to: to } = shipment;
  return pdf([
    { size: 20, text: `${rate.provider}  ${rate.servicelevel.name}` },
    { size: 9, text: '' },
    { size: 9, text: from.name },
    { size: 9, text: from.street1 },
    { size: 9, text: `${from.city} ${from.state} ${from.zip} ${from.country}` },
    { size: 9, text: '' },
    { size: 14, text: to.name },
    { size: 14, text: `${to.street1} ${to.street2}` },
    { size: 14, text: `${to.city} ${to.state} ${to.zip} ${to.country}` },
    { size: 9, text: '' },
    { size: 12, text: transaction.tracking_number },
    { size: 8, text: transaction.metadata },
    { size: 16, text: 'SIMULATED - DO NOT MAIL' },
  ]);
}

function pdf(lines: { size: number; text: string }[]): Buffer {
  let y = 410;
  const shown = lines.map(({ size, text }) => {
    y -= size * 1.5;
    return `BT /F1 ${size} Tf 18 ${y} Td (${printable(text)}) Tj ET`;
  });
  const content = `1 w 9 9 270 414 re S\n${shown.join('\n')}`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 288 432] /Contents 4 0 R /Resources 6 0 R >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    '<< /Font << /F1 5 0 R >> >>',
  ];
  let file = '%PDF-1.4\n';
  const offsets = objects.map((object, at) => {
    const offset = file.length;
    file += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const start = file.length;
  const size = objects.length + 1;
  file += `xref\n0 ${size}\n0000000000 65535 f \n${offsets.join('')}`;
  file += `trailer << /Size ${size} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(file, 'latin1');
}

function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?').replace(/[\\()]/g, '\\$&');
}
