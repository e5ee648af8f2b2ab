import { readFileSync } from 'node:fs';

import type { Plugin } from 'vite';

const packageName = '@mui/icons-material/';
const paths: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(new URL('../icons/icons.json', import.meta.url), 'utf8'),
);

/** Each icon of icons.json as the module of that name, `@mui/icons-material/Add`. */
export function materialIcons(): Plugin {
  return {
    name: 'material-icons',
    enforce: 'pre',
    resolveId: (id) => (id.startsWith(packageName) ? `\0${id}` : null),
    load(id) {
      if (!id.startsWith(`\0${packageName}`)) return null;
      const name = id.slice(packageName.length + 1);
      const path = paths[name];
      if (path === undefined) this.error(`src/console/icons/icons.json has no icon ${name}.`);
      return `
        import { createElement } from 'react';
        import { createSvgIcon } from '@mui/material/utils';
        const Icon = createSvgIcon(createElement('path', { d: '${path}' }), '${name}');
        export { Icon as default };`;
    },
  };
}
