"""The only door to a marketplace: the Mechanical Turk Requester API, through boto3."""
