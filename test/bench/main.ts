import { existsSync, globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/* `npm run bench -- orders 300 1`: runs one benchmark by its name, with its own arguments. */

const here = fileURLToPath(new URL('.', import.meta.url));
const [name = ''] = process.argv.splice(2, 1);
const names = globSync('*.ts', { cwd: here }).map((file) => file.replace('.ts', '')).filter((file) => file !== 'main');
if (!/^[a-z-]+$/.test(name) || !existsSync(`${here}${name}.ts`)) {
  console.error(`Which one? ${names.toSorted().join(', ')}`);
  process.exit(2);
}
await import(`./${name}.ts`);
