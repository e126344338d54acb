/* The sources of the page (src/report/page/), as the build puts them into the program. */
#ifndef PLUMB_REPORT_PAGE_FILES_H
#define PLUMB_REPORT_PAGE_FILES_H

extern const char page_html[], page_style[], page_script[];
extern const char page_style_hash[], page_script_hash[]; /* SHA-256 in base 64, for the content-security policy */

#endif
