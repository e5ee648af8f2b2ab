import test from 'ava';

import { rowBytesMax } from '#src/domain/bulk/read-rows.ts';
import { toUtf8 } from '#src/domain/bulk/to-utf8.ts';
import { usualEncodingOf } from '#src/domain/bulk/usual-encoding.ts';
import { DomainError } from '#src/lib/errors.ts';

async function* inPieces(bytes: Buffer, size: number): AsyncIterable<Buffer> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

async function textOf(bytes: Buffer, locale: string, size = bytes.length): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of toUtf8(inPieces(bytes, size), usualEncodingOf(locale))) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

/** As Windows writes them. Of the Japanese and Chinese ones, some characters end with an ASCII byte. */
const written: readonly (readonly [locale: string, bytes: string, text: string])[] = [
  ['ar-KW', 'dee5e6c920dad1c8edc9', 'قهوة عربية'],
  ['de-DE', '4772f6df6520844c93', 'Größe „L“'],
  ['el-GR', 'cae1f6ddf2', 'Καφές'],
  ['he', 'fae420e9f8e5f7', 'תה ירוק'],
  ['ja-JP', '955c8ea68141835c815b8358', '表示、ソース'],
  ['ko', 'c7d1b1db20c2f7', '한글 차'],
  ['lt', 'd0616c7469626172f0e8696169', 'Šaltibarščiai'],
  ['pl-PL', 'a3f3649f2c20bff3b37479', 'Łódź, żółty'],
  ['ru', 'd7e0e9', 'Чай'],
  ['sr', 'd7e0bc', 'Чај'],
  ['sr-Latn', 'c8616a', 'Čaj'],
  ['th', 'aad2e0a2d5c2c7', 'ชาเขียว'],
  ['tr-TR', '49fefd6b2c20fe656b6572', 'Işık, şeker'],
  ['vi-VN', '5669eaf274', 'Việt'],
  ['zh', 'c2ccb2e8208139ee3920b2e8', '绿茶 㐀 茶'],
  ['zh-TW', 'a55ca4d2aff9', '功夫茶'],
];

for (const [locale, bytes, text] of written)
  test(`a file that Windows wrote is read in the language of its store: ${locale}`, async (t) => {
    const file = Buffer.concat([Buffer.from('slug,name\nx,'), Buffer.from(bytes, 'hex'), Buffer.from(',\n')]);
    for (let size = 1; size <= file.length; size += 1) {
      t.is((await textOf(file, locale, size)).normalize(), `slug,name\nx,${text},\n`, `in pieces of ${size}`);
    }
    const unicode = Buffer.from(`slug,name\nx,${text},\n`);
    t.is(await textOf(unicode, locale, 1), unicode.toString());
  });

/** The last one is what Windows writes in Korea: the decoder knows 2,350 of its 11,172 syllables, and makes `c` of this. */
const unknown: readonly (readonly [what: string, locale: string, bytes: string, encoding: string])[] = [
  ['a Western file in Japan', 'ja-JP', '436166e92c0a', 'Shift_JIS'],
  ['a Spanish file in Japan', 'ja-JP', '7069f1612c0a', 'Shift_JIS'],
  ['a file that ends within a character', 'ja-JP', '955c8e', 'Shift_JIS'],
  ['a file that ends within a character after a digit', 'zh-CN', 'c2cc813039', 'GB18030'],
  ['a character whose end is missing, before text', 'zh-CN', 'c2cc2081302c780a', 'GB18030'],
  ['a file of MS-DOS', 'de-DE', '47724e816e', 'Windows-1252'],
  ['a rare syllable', 'ko-KR', 'c7d1b1db8c630a', 'EUC-KR'],
];

for (const [what, locale, bytes, encoding] of unknown)
  test(`a file that is not in the encoding of its store either is rejected: ${what}`, async (t) => {
    const file = Buffer.concat([Buffer.from('slug,name\nx,'), Buffer.from(bytes, 'hex')]);
    for (let size = 1; size <= file.length; size += 1) {
      const error = await t.throwsAsync(
        textOf(file, locale, size),
        { instanceOf: DomainError },
        `in pieces of ${size}`,
      );
      const message = `The file is neither in UTF-8 nor in ${encoding}. Save it in UTF-8, and send it again.`;
      t.is(error?.message, message);
    }
  });

test('a file in UTF-8 with a damaged character is rejected, wherever that is', async (t) => {
  const rows = Buffer.from(`slug,name\n${'x,Größe für „Öl“,\n'.repeat(5)}`);
  const damaged = Buffer.from([0x78, 0x2c, 0xc3, 0x0a]);
  for (const file of [Buffer.concat([rows, damaged]), Buffer.concat([rows, damaged, rows])])
    for (let size = rows.length; size <= file.length; size += 1)
      await t.throwsAsync(textOf(file, 'de-DE', size), {
        message: 'The file is not in UTF-8 throughout. Save it in UTF-8, and send it again.',
      });
});

for (const encoding of ['UTF-16LE', 'UTF-16BE'])
  test(`a file in ${encoding} is read, and one that ends within a character or has half of one is rejected`, async (t) => {
    const written = (text: string) => {
      const bytes = Buffer.from(text, 'utf16le');
      return encoding === 'UTF-16BE' ? bytes.swap16() : bytes;
    };
    const [text, file] = ['slug,name\nx,Größe 𠮷 茶\n', written('\ufeffslug,name\nx,Größe 𠮷 茶\n')];
    for (let size = 1; size <= file.length; size += 1) t.is(await textOf(file, 'de-DE', size), text, `${size}`);
    const message = 'The file is not in UTF-16 throughout. Save it in UTF-8, and send it again.';
    for (const damaged of [file.subarray(0, -1), written('\ufeffx,\ud842'), written('\ufeffx,\ud842,x\n')])
      for (let size = 1; size <= damaged.length; size += 1)
        await t.throwsAsync(textOf(damaged, 'de-DE', size), { instanceOf: DomainError, message });
  });

test('a file is read no further than one row is long, where no row can end', async (t) => {
  let bytesRead = 0;
  async function* endless(): AsyncIterable<Buffer> {
    for (;;) {
      const piece = Buffer.alloc(64 * 1024, 'ä');
      bytesRead += piece.length;
      if (bytesRead > 4 * rowBytesMax) return;
      yield piece;
    }
  }
  const read = async () => {
    for await (const piece of toUtf8(endless(), 'Windows-1252')) t.is(piece.length, 0);
  };
  await t.throwsAsync(read, { message: `A line has more than ${rowBytesMax} bytes.` });
  t.true(bytesRead < 2 * rowBytesMax, `${bytesRead}`);
});
