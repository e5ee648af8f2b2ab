import { defaultDarkTheme, defaultLightTheme, type RaThemeOptions } from 'react-admin';

const shape = { borderRadius: 8 };
const typography = {
  fontFamily: 'system-ui, -apple-system, "Segoe UI", sans-serif',
  button: { textTransform: 'none' },
} as const;

/** Who sets their system to less motion sees no transitions. */
const motion = { reducedMotion: 'system' } as const;
/** The parts that react-admin moves by itself do not know of it. */
const stillness = {
  '@media (prefers-reduced-motion: reduce)': { '*, *::before, *::after': { transitionDuration: '0s !important' } },
} as const;

/** A browser that forces its own colors takes backgrounds away, and shows lines that are transparent otherwise. */
const edge = { outline: '1px solid transparent' } as const;
const inForcedColors = '@media (forced-colors: active)';

/** On paper, a page is without what can only be clicked. */
const notPrinted = { '@media print': { display: 'none' } } as const;

const components: RaThemeOptions['components'] = {
  MuiButtonBase: {
    styleOverrides: { root: { '&.Mui-focusVisible': { outline: '2px solid currentColor', outlineOffset: -2 } } },
  },
  MuiButton: {
    styleOverrides: {
      // Otherwise a button within text that wraps anywhere becomes as narrow as a letter.
      root: { overflowWrap: 'break-word', ...notPrinted },
      contained: edge,
    },
  },
  MuiAlert: { styleOverrides: { root: edge } },
  MuiDialog: {
    styleOverrides: {
      paper: {
        ...edge,
        // Such as the URL of what is deleted, or the name of what is refunded.
        overflowWrap: 'anywhere',
        // In a low window, as when it is enlarged, title and buttons would leave no room for what is between them.
        '@media (max-height: 400px)': {
          margin: 8,
          maxHeight: 'calc(100% - 16px)',
          '& form': { display: 'block', overflowY: 'auto' },
          '& .MuiDialogContent-root': { overflowY: 'visible' },
        },
      },
    },
  },
  MuiTabs: { styleOverrides: { indicator: { [inForcedColors]: { backgroundColor: 'Highlight' } } } },
  MuiLinearProgress: { styleOverrides: { root: edge, bar: { [inForcedColors]: { backgroundColor: 'Highlight' } } } },
  MuiCircularProgress: { defaultProps: { 'aria-label': 'Loading' } },
  MuiMenu: { styleOverrides: { paper: edge } },
  // They are the store's at other services, which a browser would otherwise keep and fill in as the password of this one.
  RaPasswordInput: { defaultProps: { autoComplete: 'new-password' } },
  // As much as the API searches for.
  RaSearchInput: { defaultProps: { slotProps: { htmlInput: { maxLength: 200 } } } },
  // Many choices stand below each other.
  RaCheckboxGroupInput: {
    styleOverrides: {
      root: {
        '& .MuiFormGroup-row': {
          display: 'grid',
          gridTemplateColumns: 'repeat(auto-fill, minmax(min(12rem, 100%), 1fr))',
        },
      },
    },
  },
  // Spaced more widely, the name of a page would be cut off.
  RaMenuItemLink: { styleOverrides: { root: { '& .MuiTypography-root': { whiteSpace: 'normal' } } } },
  RaAppBar: { styleOverrides: { root: notPrinted } },
  RaLoadingIndicator: {
    // What is soon read again in the background does not flash.
    styleOverrides: {
      root: {
        '@keyframes appear': { from: { visibility: 'hidden' } },
        '& .RaLoadingIndicator-loader > svg': { animation: 'appear 0s 0.5s backwards' },
        '& .RaLoadingIndicator-loadedLoading': { transition: 'opacity 0s 0.5s' },
      },
    },
  },
  RaSidebar: { styleOverrides: { root: notPrinted } },
  RaSimpleFormIterator: {
    // Otherwise seen under a mouse alone, and not by those who work with the keyboard.
    styleOverrides: { root: { '& .RaSimpleFormIterator-action': { visibility: 'visible' } } },
  },
};

export const lightTheme: RaThemeOptions = {
  ...defaultLightTheme,
  components: { ...defaultLightTheme.components, ...components, MuiCssBaseline: { styleOverrides: stillness } },
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
  components: {
    ...defaultDarkTheme.components,
    ...components,
    // A browser prints no backgrounds, so that white text would be lost.
    MuiCssBaseline: { styleOverrides: { ...stillness, '@media print': { '*': { color: 'black !important' } } } },
  },
  shape,
  typography,
  motion,
  palette: {
    mode: 'dark',
    primary: { main: '#8fc1e3' },
    secondary: { main: '#8fc1e3' },
    warning: { main: '#f0a57a' },
    error: { main: '#f28b82' },
  },
};
