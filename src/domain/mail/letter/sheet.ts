/** The tones and the type of every mail, in light. */
export const ink = {
  desk: '#f4f4f5',
  paper: '#ffffff',
  well: '#f4f4f5',
  rule: '#e4e4e7',
  text: '#18181b',
  quiet: '#63636b',
  font: "-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif",
} as const;

/** What inline styles cannot say: narrow windows and the dark. Programs that drop it show the light, wide form. */
export const sheet = `
@media (max-width:480px) {
  .margin { padding:20px 10px !important }
  .paper { padding:26px 20px 18px !important }
}
@media (prefers-color-scheme:dark) {
  body, .desk { background:#111113 !important }
  .paper { background:#1c1c1f !important; border-left-color:#303036 !important; border-right-color:#303036 !important; border-bottom-color:#303036 !important; color:#f4f4f5 !important }
  .well { background:#29292e !important }
  .rule { border-bottom-color:#303036 !important }
  .text { color:#f4f4f5 !important }
  .link { color:inherit !important }
  .quiet { color:#a1a1aa !important }
}
`;
