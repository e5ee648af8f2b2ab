import { defaultDarkTheme, defaultLightTheme, type RaThemeOptions } from 'react-admin';

const shape = { borderRadius: 8 };
const typography = {
  fontFamily: 'system-ui, -apple-system, "Segoe UI", sans-serif',
  button: { textTransform: 'none' },
} as const;

/** Who sets their system to less motion sees no transitions. */
const motion = { reducedMotion: 'system' } as const;

const components: RaThemeOptions['components'] = {
  // Otherwise a button within text that wraps anywhere becomes as narrow as a letter.
  MuiButton: { styleOverrides: { root: { overflowWrap: 'break-word' } } },
  MuiCircularProgress: { defaultProps: { 'aria-label': 'Loading' } },
  RaSimpleFormIterator: {
    // Otherwise seen under a mouse alone, and not by those who work with the keyboard.
    styleOverrides: { root: { '& .RaSimpleFormIterator-action': { visibility: 'visible' } } },
  },
};

export const lightTheme: RaThemeOptions = {
  ...defaultLightTheme,
  components: { ...defaultLightTheme.components, ...components },
  shape,
  typography,
  motion,
  palette: {
    mode: 'light',
    primary: { main: '#24557a' },
    secondary: { main: '#24557a' },
    warning: { main: '#8a3b12' },
    success: { main: '#2e6b3f' },
    background: { default: '#fbfbfa' },
  },
};

export const darkTheme: RaThemeOptions = {
  ...defaultDarkTheme,
  components: { ...defaultDarkTheme.components, ...components },
  shape,
  typography,
  motion,
  palette: { mode: 'dark', primary: { main: '#8fc1e3' }, secondary: { main: '#8fc1e3' }, warning: { main: '#f0a57a' } },
};
