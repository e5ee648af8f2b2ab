/** Of a button that has nothing to do and keeps the focus, which `disabled` takes away. */
export const shownDisabled = {
  '&[aria-disabled=true]': { color: 'action.disabled', bgcolor: 'transparent', cursor: 'default' },
} as const;
